/**
 * The link cache that all redirectors share (libs/domain/decisions/0008-revoke-and-the-cache.md). An entry is never
 * older than the last change written to it, because entries have versions. If a change cannot be written, the
 * generation in the store is raised, and nobody reads older entries any longer.
 */
import { randomUUID } from 'node:crypto';
import type { RedirectRecord } from '@waypost/domain';
import type { CacheGeneration, LinkCache } from '@waypost/ports';
import { type Breaker, breaker, isNoteworthy } from '@waypost/resilience';
import { type DependencyState, errorFields, type Logger } from '@waypost/telemetry';
import { type Connection, connectRedis } from './connection.ts';
import { entryOf, type Known, parseEntry, UNKNOWN_ENTRY } from './entries.ts';
import { type GenerationWatch, type WhenCutOff, watchGeneration } from './generation-watch.ts';
import { type CacheSnapshot, type Misses, rememberMisses } from './misses.ts';

export interface RedisLinkCacheOptions {
  /** An address like `redis://user:password@host:6379/0`, or `rediss://` for TLS. */
  readonly url: string;
  /**
   * The certificates, in PEM, of the authorities that may sign the server's certificate. The default is Node's list.
   */
  readonly ca?: string | undefined;
  readonly generation: CacheGeneration;
  /** A redirector keeps an entry in its own memory for this long. Only tests change it from `MICRO_CACHE_MS`. */
  readonly lifetimeMs?: number;
  /** A redirector trusts a generation for this long after reading it. All processes need the same value. */
  readonly generationLifetimeMs?: number;
  /** What readers do while the store does not answer. The default is `redirect`. */
  readonly whenCutOff?: WhenCutOff;
  readonly logger: Logger;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs?: () => number;
}

export interface RedisLinkCache extends LinkCache {
  /** Checks that Redis answers. Never rejects. */
  health(): Promise<DependencyState>;
  stop(): Promise<void>;
}

/**
 * A redirector keeps an entry in its own memory for this long, and a change waits as long for redirectors in other
 * processes. If the two times differ, a revoke may take effect too late (decision 0008).
 */
export const MICRO_CACHE_MS = 200;
export const GENERATION_LIFETIME_MS = 500;
const KEEP_MS = { links: 24 * 3_600_000, unknown: 30_000 };
/** A single late answer from a busy machine must not send all visitors to the database. */
const SKIP_AFTER_FAILURES = 3;
const SKIP_FOR_MS = 1_000;
/** A timer may fire up to a millisecond early, both here and in the redirector. */
const TIMER_SLACK_MS = 3;

export function redisLinkCache(options: RedisLinkCacheOptions): RedisLinkCache {
  return new SharedCache(options);
}

class SharedCache implements RedisLinkCache {
  readonly #generation: CacheGeneration;
  readonly #logger: Logger;
  readonly #lifetimeMs: number;
  readonly #generationLifetimeMs: number;
  readonly #monotonicMs: () => number;
  readonly #redis: Connection;
  readonly #breaker: Breaker;
  #failedAt = Number.NEGATIVE_INFINITY;
  readonly #watched: GenerationWatch;
  readonly #misses: Misses;
  readonly #bump: LateBump;
  readonly #listeners: ((record: RedirectRecord) => void)[] = [];
  /** The newest generation known to this process, and the time when it read it first. */
  #newest = { generation: -1, since: 0 };

  constructor(options: RedisLinkCacheOptions) {
    const { generation, logger, url, ca } = options;
    this.#generation = generation;
    this.#logger = logger;
    this.#lifetimeMs = options.lifetimeMs ?? MICRO_CACHE_MS;
    this.#generationLifetimeMs = options.generationLifetimeMs ?? GENERATION_LIFETIME_MS;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#redis = connectRedis(url, logger, ca);
    const clock = { monotonicMs: this.#monotonicMs };
    this.#breaker = breaker({ failuresInARow: SKIP_AFTER_FAILURES, pauseMs: SKIP_FOR_MS, ...clock });
    const { whenCutOff } = options;
    this.#watched = watchGeneration({ generation, lifetimeMs: this.#generationLifetimeMs, whenCutOff, ...clock });
    this.#misses = rememberMisses(this.#monotonicMs);
    this.#bump = new LateBump(generation, this.#generationLifetimeMs, logger);
  }

  async get(slug: string): Promise<Known | undefined> {
    const { entry, snapshot } = await this.#look(slug);
    if (entry === undefined) this.#misses.note(slug, snapshot);
    return entry;
  }

  async fill(record: RedirectRecord): Promise<RedirectRecord> {
    return (await this.#offer(record.slug, entryOf(record))) ?? record;
  }

  async fillUnknown(slug: string): Promise<RedirectRecord | null> {
    return (await this.#offer(slug, UNKNOWN_ENTRY)) ?? null;
  }

  async announce(records: readonly RedirectRecord[]): Promise<void> {
    if (records.length === 0) return;
    const current = await this.#readGeneration().catch((error: unknown) => {
      this.#bump.soon();
      throw error;
    });
    const isWritten = await this.#attempt(async () => {
      await this.#write(records, current);
      return true;
    });
    this.#notify(records);
    if (isWritten === undefined) this.#bump.soon();
  }

  async put(records: readonly RedirectRecord[]): Promise<void> {
    await this.#put(records);
  }

  async replace(records: readonly RedirectRecord[]): Promise<void> {
    const ms = await this.#put(records);
    const until = this.#monotonicMs() + ms;
    for (let remaining = ms; remaining > 0; remaining = until - this.#monotonicMs()) {
      await new Promise((resolve) => setTimeout(resolve, remaining));
    }
  }

  watch(listener: (record: RedirectRecord) => void): void {
    this.#listeners.push(listener);
  }

  async health(): Promise<DependencyState> {
    try {
      this.#redis.server();
      await this.#redis.ping();
      return { ok: true };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async stop(): Promise<void> {
    this.#bump.stop();
    this.#watched.stop();
    this.#redis.stop();
  }

  async #readGeneration(): Promise<number> {
    const current = await this.#generation.read();
    if (current > this.#newest.generation) this.#newest = { generation: current, since: this.#monotonicMs() };
    return current;
  }

  /** Resolves to undefined if Redis fails now or failed several times a moment ago. */
  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.#breaker.leftMs() > 0) return undefined;
    const startedAt = this.#monotonicMs();
    try {
      const answer = await work();
      this.#breaker.worked();
      return answer;
    } catch {
      // A busy moment makes all commands late that are under way. It counts once.
      if (startedAt < this.#failedAt) return undefined;
      this.#failedAt = this.#monotonicMs();
      this.#breaker.failed();
      return undefined;
    }
  }

  #prefixOf(current: number): string {
    return `k${current}:${this.#redis.server()}:`;
  }

  async #look(slug: string): Promise<{ entry: Known | undefined; snapshot: CacheSnapshot }> {
    const nothing = { entry: undefined, snapshot: 'nothing' } as const;
    const current = await this.#watched.current();
    if (current === undefined) return nothing;
    const read = async () => {
      const prefix = this.#prefixOf(current);
      const [entry, epoch] = await this.#redis.read(prefix + slug);
      const parsed = typeof entry === 'string' ? parseEntry(entry) : undefined;
      if (typeof epoch === 'string') return { entry: parsed, snapshot: { prefix, epoch } };
      // This Redis is new or was flushed. With an epoch, the next reader may write to it.
      await this.#redis.beginEpoch(randomUUID());
      return { ...nothing, entry: parsed };
    };
    // A second read answers visitors who would get 503 for a late moment, if PostgreSQL is away.
    return (await this.#attempt(read)) ?? (await this.#attempt(read)) ?? nothing;
  }

  /** Writes an entry unless Redis has a newer one. Resolves to the newer record, or to undefined if it wrote. */
  async #offer(slug: string, entry: string): Promise<Known | undefined> {
    const snapshot = this.#misses.take(slug) ?? (await this.#snapshotNow());
    if (snapshot === 'nothing') return undefined;
    return this.#attempt(async () => {
      const [winner] = await this.#redis.write(snapshot.epoch, [{ key: snapshot.prefix + slug, entry }], KEEP_MS);
      return typeof winner === 'string' ? parseEntry(winner) : undefined;
    });
  }

  /** Used for a record that this process did not look up before. */
  async #snapshotNow(): Promise<CacheSnapshot> {
    const current = await this.#watched.current();
    if (current === undefined) return 'nothing';
    return (await this.#attempt(async () => ({ prefix: this.#prefixOf(current), epoch: '' }))) ?? 'nothing';
  }

  /**
   * Writes records that were just committed. The generation was read after the commit. An entry with a later generation
   * comes from a later read of the store, which includes the commit.
   */
  async #write(records: readonly RedirectRecord[], current: number): Promise<void> {
    const prefix = this.#prefixOf(current);
    const entries = records.map((record) => ({ key: prefix + record.slug, entry: entryOf(record) }));
    await this.#redis.write('', entries, KEEP_MS);
  }

  #notify(records: readonly RedirectRecord[]): void {
    for (const record of records) for (const listener of this.#listeners) listener(record);
  }

  /** Resolves to the milliseconds for which a redirector may still use an older version. */
  async #put(records: readonly RedirectRecord[]): Promise<number> {
    if (records.length === 0) return 0;
    const current = await this.#readGeneration();
    // Until then a redirector may trust the previous generation, and this change is not written there.
    let waitMs = this.#lifetimeMs + Math.max(0, this.#newest.since + this.#generationLifetimeMs - this.#monotonicMs());
    try {
      await this.#write(records, current); // written even if Redis failed a moment ago
    } catch (error) {
      this.#logger.warn('changed links could not be written to Redis; invalidating the cache', errorFields(error));
      await this.#generation.bump();
      waitMs = this.#lifetimeMs + this.#generationLifetimeMs;
    }
    this.#notify(records);
    return waitMs + TIMER_SLACK_MS;
  }
}

/**
 * When new links could not be written, other processes may still know their slugs as unknown. Raising the generation
 * corrects that. Links are created all the time, so it is raised once for many links.
 */
class LateBump {
  readonly #generation: CacheGeneration;
  readonly #afterMs: number;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  #stopped = false;

  constructor(generation: CacheGeneration, afterMs: number, logger: Logger) {
    this.#generation = generation;
    this.#afterMs = afterMs;
    this.#logger = logger;
  }

  soon(): void {
    this.#timer ??= setTimeout(() => void this.#bump(), this.#afterMs);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #bump(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.#generation.bump();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (isNoteworthy(this.#failures)) this.#logger.warn('the cache could not be invalidated', errorFields(error));
      if (!this.#stopped) this.soon();
    }
  }
}
