import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import {
  created,
  DomainError,
  flaggedAs,
  type Link,
  type LinkEvent,
  type Quota,
  slugsTaken,
  TOPICS,
  type Verdict,
} from '@waypost/domain';
import type { Accounts } from '../accounts.ts';
import type { LinkReader } from '../link-cache.ts';
import type { IdempotencyStore, LinkStore, NewLinks } from '../link-store.ts';
import type { Outbox, OutboxRow } from '../outbox.ts';

/** The ports to one empty store. Accounts without a limit of their own may create 300 links an hour. */
export interface LinksUnderTest {
  readonly links: CreatingLinkStore;
  readonly idempotency: IdempotencyStore;
  readonly accounts: Accounts;
  readonly outbox: Outbox;
  readonly reader: LinkReader;
}

/** One store for a suite, opened before it. */
export function opened<T>(open: () => Promise<T>, close?: (store: T) => Promise<void>): () => T {
  let store: T;
  beforeAll(async () => {
    store = await open();
  });
  if (close !== undefined) afterAll(() => close(store));
  return () => store;
}

export const NOON = new Date('2026-11-21T12:00:00.000Z');
export const HOUR_MS = 3_600_000;
export const atNoon = (plusMs: number) => new Date(NOON.getTime() + plusMs);

/** A new account, with a limit of its own if given. */
export async function newOwner({ accounts }: Pick<LinksUnderTest, 'accounts'>, creationsPerHour?: number) {
  const email = `${randomUUID()}@example.com`;
  const account = await accounts.create({ email, admin: false, passwordHash: null });
  if (creationsPerHour !== undefined) await accounts.setLimit(email, creationsPerHour);
  return account.id;
}

export function verdict(url: string, more: Partial<Verdict> = {}): Verdict {
  return { url, outcome: 'clean', threat_type: null, reasons: [], ...more };
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

/** A request for these links; what is not said is plain. */
export function asking(ownerId: string, ...wanted: Wanted[]): Asked {
  return { ownerId, wanted };
}

/** Links are born as by the use case, and a slug that is taken is thrown. */
export interface CreatingLinkStore extends LinkStore {
  create(asked: Asked, now: Date): Promise<{ readonly links: readonly Link[]; readonly quota: Quota }>;
}

export function creating(store: LinkStore): CreatingLinkStore {
  return {
    ...store,
    create: async ({ wanted, ...more }, now) => {
      const links = wanted.map(({ slug = newSlug(), url = 'https://example.com/', tags = [], verdict: found }) => {
        const judged = verdict(url, found);
        const from = { slug, ownerId: more.ownerId, destinationUrl: url, tags, scanGeneration: 'g1' };
        return { ...created({ ...from, threatType: flaggedAs(judged) }, now), verdict: judged };
      });
      const stored = await store.insert({ ...more, links }, now);
      if ('taken' in stored) throw slugsTaken(stored.taken);
      return { links: links.map(({ link }) => link), quota: stored.quota };
    },
  };
}

let made = 0;
/** A custom slug that no other test uses. */
export const newSlug = (stem = 'slug') => `${stem}-${process.pid.toString(36)}-${(made++).toString(36)}`;

export async function newLink(store: LinksUnderTest, wanted: Wanted = {}): Promise<Link> {
  const ownerId = await newOwner(store);
  const { links } = await store.links.create(asking(ownerId, { slug: newSlug(), ...wanted }), NOON);
  return links[0]!;
}

/** Resolves to the code of the DomainError it must fail with. */
export async function codeOf(failing: Promise<unknown>): Promise<string> {
  return failing.then(
    () => 'it did not fail',
    (error: unknown) => {
      if (error instanceof DomainError) return error.code;
      throw error;
    },
  );
}

/** How many calls ended in which way: `ok`, or the code of their DomainError. */
export async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const ways = await Promise.all(
    calls.map((call) =>
      call.then(
        () => 'ok',
        (error: unknown) => {
          if (error instanceof DomainError) return error.code;
          throw error;
        },
      ),
    ),
  );
  const counts: Record<string, number> = {};
  for (const way of ways) counts[way] = (counts[way] ?? 0) + 1;
  return counts;
}

/** Empties the outbox. */
export async function drained(outbox: Outbox): Promise<OutboxRow[]> {
  const rows: OutboxRow[] = [];
  const draining = await outbox.drain(async (batch) => {
    rows.push(...batch);
  });
  while ((await outbox.backlog()).rows > 0) await pause(5);
  await draining.stop();
  return rows;
}

/** The events of these links that waited in the outbox, which is empty then. */
export async function queuedEvents({ outbox }: LinksUnderTest, slugs: readonly string[]): Promise<LinkEvent[]> {
  const rows = await drained(outbox);
  return rows
    .filter(({ topic, key }) => topic === TOPICS.links && slugs.includes(key))
    .map(({ value }) => JSON.parse(value) as LinkEvent);
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Resolves as soon as it is true, and throws when it did not become so for long. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`waited for it in vain: ${isTrue}`);
    await pause(5);
  }
}
