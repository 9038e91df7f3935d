/**
 * The link cache that all redirectors share (libs/domain/decisions/0008-revoke-and-the-cache.md). An entry
 * is never older than the last change written to it: entries are versioned, and a change that cannot be written raises
 * the generation in the store, which puts every older entry out of reach.
 */
import { randomUUID } from 'node:crypto';
import type { RedirectRecord } from '@waypost/domain';
import type { CacheGeneration, LinkCache } from '@waypost/ports';
import { breaker, isNoteworthy } from '@waypost/resilience';
import { type DependencyState, errorFields, type Logger } from '@waypost/telemetry';
import { connectRedis } from './connection.ts';
import { entryOf, type Known, parseEntry, UNKNOWN_ENTRY } from './entries.ts';
import { watchGeneration } from './generation-watch.ts';
import { type CacheSnapshot, rememberMisses } from './misses.ts';

export interface RedisLinkCacheOptions {
  /** `redis://user:password@host:6379/0`, `rediss://` for TLS. */
  readonly url: string;
  /** Authorities that the server's certificate may come from, in PEM; by default those that Node knows. */
  readonly ca?: string | undefined;
  readonly generation: CacheGeneration;
  /** How long a redirector's micro-cache holds an entry (L): `MICRO_CACHE_MS`, except in tests. */
  readonly lifetimeMs?: number;
  /** How long a redirector trusts a generation that it has read (P): the same number for every process. */
  readonly generationLifetimeMs?: number;
  readonly logger: Logger;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs?: () => number;
}

export interface RedisLinkCache extends LinkCache {
  /** Whether Redis answers. Never rejects. */
  health(): Promise<DependencyState>;
  stop(): Promise<void>;
}

/**
 * How long a redirector's micro-cache holds an entry, and how long a change waits for redirectors in other processes. A
 * revoke takes effect immediately only while both are the same number (decision 0008).
 */
export const MICRO_CACHE_MS = 200;
export const GENERATION_LIFETIME_MS = 500;
const KEEP_MS = { links: 24 * 3_600_000, unknown: 30_000 };
const SKIP_AFTER_FAILURE_MS = 1_000;
/** A timer may fire up to a millisecond early, in this process and in the redirector's. */
const TIMER_SLACK_MS = 3;

export function redisLinkCache(options: RedisLinkCacheOptions): RedisLinkCache {
  const { generation, logger, lifetimeMs = MICRO_CACHE_MS } = options;
  const { generationLifetimeMs = GENERATION_LIFETIME_MS } = options;
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const redis = connectRedis(options.url, logger, options.ca);
  const redisBreaker = breaker({ failuresInARow: 1, pauseMs: SKIP_AFTER_FAILURE_MS, monotonicMs });
  const watched = watchGeneration({ generation, lifetimeMs: generationLifetimeMs, monotonicMs });
  const misses = rememberMisses(monotonicMs);
  const listeners: ((record: RedirectRecord) => void)[] = [];
  let bumpTimer: NodeJS.Timeout | undefined;
  let failedBumps = 0;
  let stopped = false;
  /** The newest generation that a change was written under, and since when this process knows it. */
  let newest = { generation: -1, since: 0 };

  async function readGeneration(): Promise<number> {
    const current = await generation.read();
    if (current > newest.generation) newest = { generation: current, since: monotonicMs() };
    return current;
  }

  /** Resolves to undefined if the breaker is open or Redis fails. */
  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (redisBreaker.leftMs() > 0) return undefined;
    try {
      const answer = await work();
      redisBreaker.worked();
      return answer;
    } catch {
      redisBreaker.failed();
      return undefined;
    }
  }

  const prefixOf = (current: number) => `k${current}:${redis.server()}:`;

  async function get(slug: string): Promise<Known | undefined> {
    const looked = await look(slug);
    if (looked.known === undefined) misses.note(slug, looked.snapshot);
    return looked.known;
  }

  async function look(slug: string): Promise<{ known: Known | undefined; snapshot: CacheSnapshot }> {
    const nothing = { known: undefined, snapshot: 'nothing' } as const;
    const current = await watched.current();
    if (current === undefined) return nothing;
    const looked = await attempt(async () => {
      const prefix = prefixOf(current);
      const [entry, epoch] = await redis.read(prefix + slug);
      const known = typeof entry === 'string' ? parseEntry(entry) : undefined;
      if (typeof epoch === 'string') return { known, snapshot: { prefix, epoch } };
      // New or flushed: the next reader may fill.
      await redis.beginEpoch(randomUUID());
      return { ...nothing, known };
    });
    return looked ?? nothing;
  }

  /** Offers an entry; resolves to the newest known record, or undefined if that is `entry` itself. */
  async function offer(slug: string, entry: string): Promise<Known | undefined> {
    const snapshot = misses.take(slug) ?? (await snapshotNow());
    if (snapshot === 'nothing') return undefined;
    return attempt(async () => {
      const [winner] = await redis.write(snapshot.epoch, [{ key: snapshot.prefix + slug, entry }], KEEP_MS);
      return typeof winner === 'string' ? parseEntry(winner) : undefined;
    });
  }

  /** For a fill without an earlier read. */
  async function snapshotNow(): Promise<CacheSnapshot> {
    const current = await watched.current();
    if (current === undefined) return 'nothing';
    return (await attempt(async () => ({ prefix: prefixOf(current), epoch: '' }))) ?? 'nothing';
  }

  /**
   * Writes records that were just committed. The generation is read after the commit, so an entry under any later
   * generation can only come from a read of the store that saw the commit.
   */
  async function write(records: readonly RedirectRecord[], current: number): Promise<void> {
    const prefix = prefixOf(current);
    const entries = records.map((record) => ({ key: prefix + record.slug, entry: entryOf(record) }));
    await redis.write('', entries, KEEP_MS);
  }

  function notify(records: readonly RedirectRecord[]): void {
    for (const record of records) for (const listener of listeners) listener(record);
  }

  async function announce(records: readonly RedirectRecord[]): Promise<void> {
    if (records.length === 0) return;
    const current = await readGeneration().catch((error: unknown) => {
      bumpSoon();
      throw error;
    });
    const isWritten = await attempt(async () => {
      await write(records, current);
      return true;
    });
    notify(records);
    if (isWritten === undefined) bumpSoon();
  }

  /**
   * Other processes may have cached the slug as unknown. Links are created all the time, so this runs once for many of
   * them.
   */
  function bumpSoon(): void {
    bumpTimer ??= setTimeout(() => {
      bumpTimer = undefined;
      generation.bump().then(
        () => {
          failedBumps = 0;
        },
        (error: unknown) => {
          failedBumps += 1;
          if (isNoteworthy(failedBumps)) logger.warn('the cache generation was not raised', errorFields(error));
          if (!stopped) bumpSoon();
        },
      );
    }, generationLifetimeMs);
  }

  /** Resolves to how long a redirector may still use what it has read before, in milliseconds. */
  async function put(records: readonly RedirectRecord[]): Promise<number> {
    if (records.length === 0) return 0;
    const current = await readGeneration();
    // Until then a redirector may trust the generation before, whose entries no change reaches.
    let waitMs = lifetimeMs + Math.max(0, newest.since + generationLifetimeMs - monotonicMs());
    try {
      await write(records, current); // always tried, even when the breaker is open
    } catch (error) {
      logger.warn('changed links could not be written to Redis: raising the cache generation', errorFields(error));
      await generation.bump();
      waitMs = lifetimeMs + generationLifetimeMs;
    }
    notify(records);
    return waitMs + TIMER_SLACK_MS;
  }

  async function wait(ms: number): Promise<void> {
    const until = monotonicMs() + ms;
    for (let left = ms; left > 0; left = until - monotonicMs()) {
      await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  return {
    get,
    fill: async (record) => (await offer(record.slug, entryOf(record))) ?? record,
    fillUnknown: async (slug) => (await offer(slug, UNKNOWN_ENTRY)) ?? null,
    announce,
    put: async (records) => void (await put(records)),
    replace: async (records) => wait(await put(records)),
    watch: (listener) => {
      listeners.push(listener);
    },
    async health() {
      try {
        redis.server();
        await redis.ping();
        return { ok: true };
      } catch (error) {
        return { ok: false, detail: error instanceof Error ? error.message : String(error) };
      }
    },
    async stop() {
      stopped = true;
      clearTimeout(bumpTimer);
      watched.stop();
      redis.stop();
    },
  };
}
