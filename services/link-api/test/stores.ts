import { randomUUID } from 'node:crypto';
import {
  created,
  DomainError,
  flaggedAs,
  type Link,
  type LinkEvent,
  OPERATOR,
  slugsTaken,
  type Verdict,
} from '@waypost/domain';
import type { Outbox, OutboxRow } from '@waypost/ports';
import type { Database } from '@waypost/postgres';
import { pause } from '@waypost/test-support';
import { emptyDatabase } from '@waypost/test-support/database';
import { postgresLinkApiStores } from '../src/app.ts';
import type { AuditNote } from '../src/audit/index.ts';
import type { LinkStore, ListQuery, NewLinks } from '../src/links/link-store.port.ts';

export const openStores = async (creationsPerHour?: number) => storesOn(await emptyDatabase(), raise, creationsPerHour);

/**
 * Opens the stores of another replica on this database. `creationsPerHour` applies to accounts without their own limit.
 */
export function storesOn(db: Database, onRelayError: (error: unknown) => void = raise, creationsPerHour = 300) {
  const stores = postgresLinkApiStores(db, { creationsPerHour }, onRelayError);
  return { db, ...stores, links: creating(stores.links) };
}
type Stores = ReturnType<typeof storesOn>;

export { outboxMetrics } from '../src/links/metrics.ts';
export { caseMetrics } from '../src/moderation/metrics.ts';

function raise(error: unknown): never {
  throw error;
}

export const NOON = new Date('2026-11-21T12:00:00.000Z');
export const HOUR_MS = 3_600_000;
export const atNoon = (plusMs: number) => new Date(NOON.getTime() + plusMs);
export const LATER = atNoon(60_000);

/** An audit entry for tests that do not check the audit log. */
export const noted = (): readonly AuditNote[] => [{ by: OPERATOR, action: 'account.created', subject: 'a test' }];

/** Deletes a key of any account and keeps its webhooks. */
export const KEEP = { accountId: undefined, webhooks: 'keep' } as const;
/** What a sign-in stores, for tests that do not check it. */
export const SIGN_IN = { via: 'password', origin: { browser: 'Firefox', system: 'Linux', country: 'ZZ' } } as const;

export const newEmail = () => `${randomUUID()}@example.com`;

export const newAccount = (accounts: Stores['accounts'], email = newEmail()) =>
  accounts.create({ email, admin: false, passwordHash: null }, noted);

export async function newOwner({ accounts }: Pick<Stores, 'accounts'>, creationsPerHour?: number) {
  const { id, email } = await newAccount(accounts);
  if (creationsPerHour !== undefined) await accounts.setLimit(email, creationsPerHour, noted);
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
  readonly endsAt?: Date;
  readonly verdict?: Partial<Verdict>;
}

export interface Asked extends Pick<NewLinks, 'ownerId' | 'keep'> {
  readonly rows: readonly Wanted[];
}

export function asking(ownerId: string, ...rows: Wanted[]): Asked {
  return { ownerId, rows };
}

function creating(store: LinkStore) {
  return {
    ...store,
    create: async ({ rows, ...request }: Asked, now: Date) => {
      const links = rows.map(
        ({ slug = newSlug(), url = 'https://example.com/', tags = [], endsAt, verdict: overrides }) => {
          const judged = verdict(url, overrides);
          const from = { slug, ownerId: request.ownerId, destinationUrl: url, tags, endsAt, scanGeneration: 'g1' };
          return { ...created({ ...from, threatType: flaggedAs(judged) }, now), verdict: judged };
        },
      );
      const stored = await store.insert({ ...request, links }, now);
      if ('taken' in stored) throw slugsTaken(stored.taken);
      return { links: links.map(({ link }) => link), quota: stored.quota };
    },
  };
}

let serial = 0;
export const newSlug = (stem = 'slug') => `${stem}-${process.pid.toString(36)}-${(serial++).toString(36)}`;

export async function newLink(store: Stores, row: Wanted = {}): Promise<Link> {
  const ownerId = await newOwner(store);
  const { links } = await store.links.create(asking(ownerId, { slug: newSlug(), ...row }), NOON);
  return links[0]!;
}

/** Resolves to the code of the `DomainError` with which the call fails, or to `ok`. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof DomainError) return error.code;
      throw error;
    },
  );
}

/** Counts the calls that ended with each result: `ok`, or the code of a `DomainError`. */
export async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const way of await Promise.all(calls.map(codeOf))) counts[way] = (counts[way] ?? 0) + 1;
  return counts;
}

export async function drained(outbox: Outbox): Promise<OutboxRow[]> {
  const rows: OutboxRow[] = [];
  const draining = await outbox.drain(async (batch) => void rows.push(...batch));
  while ((await outbox.backlog()).rows > 0) await pause(5);
  await draining.stop();
  return rows;
}

/** Returns the queued events of these links, and empties the outbox. */
export async function queuedEvents({ outbox }: Stores, slugs: readonly string[]): Promise<LinkEvent[]> {
  const rows = await drained(outbox);
  return rows.filter(({ key }) => slugs.includes(key)).map(({ value }) => JSON.parse(value) as LinkEvent);
}

export function query(overrides: Partial<ListQuery> = {}): ListQuery {
  return { page: 1, limit: 100, sort: 'created_at', order: 'desc', tags: [], ...overrides };
}

export const many = (count: number, stem?: string) => Array.from({ length: count }, () => ({ slug: newSlug(stem) }));

export const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
