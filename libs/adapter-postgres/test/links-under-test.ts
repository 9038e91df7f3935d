import { randomUUID } from 'node:crypto';
import {
  created,
  DomainError,
  flaggedAs,
  type Link,
  type LinkEvent,
  OPERATOR,
  slugsTaken,
  TOPICS,
  type Verdict,
} from '@waypost/domain';
import type { LinkStore, ListQuery, NewLinks, Outbox, OutboxRow } from '@waypost/ports';
import { pause } from '@waypost/test-support';
import type { DataSource } from 'typeorm';
import { postgresLinkApiStores } from '../src/index.ts';
import { emptyDatabase } from './empty-database.ts';

/** All that link-api stores, on an empty database. */
export const openStores = async (creationsPerHour?: number) => storesOn(await emptyDatabase(), raise, creationsPerHour);

/** The same on this database, like that of a replica. `creationsPerHour` is for accounts without their own limit. */
export function storesOn(db: DataSource, onRelayError: (error: unknown) => void = raise, creationsPerHour = 300) {
  const stores = postgresLinkApiStores(db, { creationsPerHour }, onRelayError);
  return { db, ...stores, links: creating(stores.links) };
}
type Stores = ReturnType<typeof storesOn>;

function raise(error: unknown): never {
  throw error;
}

export const NOON = new Date('2026-11-21T12:00:00.000Z');
export const HOUR_MS = 3_600_000;
export const atNoon = (plusMs: number) => new Date(NOON.getTime() + plusMs);
export const LATER = atNoon(60_000);

export const newEmail = () => `${randomUUID()}@example.com`;

export const newAccount = (accounts: Stores['accounts'], email = newEmail()) =>
  accounts.create({ email, admin: false, passwordHash: null }, OPERATOR);

/** The id of a new account, with its own limit if given. */
export async function newOwner({ accounts }: Pick<Stores, 'accounts'>, creationsPerHour?: number) {
  const { id, email } = await newAccount(accounts);
  if (creationsPerHour !== undefined) await accounts.setLimit(email, creationsPerHour, OPERATOR);
  return id;
}

function verdict(url: string, overrides: Partial<Verdict> = {}): Verdict {
  return { url, outcome: 'clean', threat_type: null, reasons: [], ...overrides };
}

export const PHISHING = {
  outcome: 'flagged',
  threat_type: 'phishing',
  reasons: [{ rule: 'feed:phish', evidence: 'evil.example/' }],
} as const;

interface Wanted {
  readonly slug?: string;
  readonly url?: string;
  readonly tags?: readonly string[];
  readonly verdict?: Partial<Verdict>;
}

export interface Asked extends Pick<NewLinks, 'ownerId' | 'keep'> {
  readonly wanted: readonly Wanted[];
}

/** A request for these links, with defaults for everything that is not given. */
export function asking(ownerId: string, ...wanted: Wanted[]): Asked {
  return { ownerId, wanted };
}

/** Creates links as the use case does, and throws for a slug that is taken. */
function creating(store: LinkStore) {
  return {
    ...store,
    create: async ({ wanted, ...request }: Asked, now: Date) => {
      const links = wanted.map(({ slug = newSlug(), url = 'https://example.com/', tags = [], verdict: found }) => {
        const judged = verdict(url, found);
        const from = { slug, ownerId: request.ownerId, destinationUrl: url, tags, scanGeneration: 'g1' };
        return { ...created({ ...from, threatType: flaggedAs(judged) }, now), verdict: judged };
      });
      const stored = await store.insert({ ...request, links }, now);
      if ('taken' in stored) throw slugsTaken(stored.taken);
      return { links: links.map(({ link }) => link), quota: stored.quota };
    },
  };
}

let made = 0;
/** A custom slug that no other test uses. */
export const newSlug = (stem = 'slug') => `${stem}-${process.pid.toString(36)}-${(made++).toString(36)}`;

export async function newLink(store: Stores, wanted: Wanted = {}): Promise<Link> {
  const ownerId = await newOwner(store);
  const { links } = await store.links.create(asking(ownerId, { slug: newSlug(), ...wanted }), NOON);
  return links[0]!;
}

/** Resolves to the code of the DomainError with which the call fails, or to `ok`. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof DomainError) return error.code;
      throw error;
    },
  );
}

/** How many calls ended in each way: `ok`, or the code of their DomainError. */
export async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const way of await Promise.all(calls.map(codeOf))) counts[way] = (counts[way] ?? 0) + 1;
  return counts;
}

/** Empties the outbox. */
export async function drained(outbox: Outbox): Promise<OutboxRow[]> {
  const rows: OutboxRow[] = [];
  const draining = await outbox.drain(async (batch) => void rows.push(...batch));
  while ((await outbox.backlog()).rows > 0) await pause(5);
  await draining.stop();
  return rows;
}

/** The queued events of these links; empties the outbox. */
export async function queuedEvents({ outbox }: Stores, slugs: readonly string[]): Promise<LinkEvent[]> {
  const rows = await drained(outbox);
  return rows
    .filter(({ topic, key }) => topic === TOPICS.links && slugs.includes(key))
    .map(({ value }) => JSON.parse(value) as LinkEvent);
}

export function query(overrides: Partial<ListQuery> = {}): ListQuery {
  return { page: 1, limit: 100, sort: 'created_at', order: 'desc', tags: [], ...overrides };
}

/** This many links to request, each with a new slug. */
export const many = (count: number, stem?: string) => Array.from({ length: count }, () => ({ slug: newSlug(stem) }));

export const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
