/**
 * The link cache that all redirectors share (libs/domain/decisions/0008-revoke-and-the-cache.md). An entry is never
 * older than the last change written to it, because entries have versions. If a change cannot be written, the
 * generation in the store is raised, and nobody reads older entries any longer.
 */
import type { RedirectRecord } from '@waypost/domain';
import type { CacheGeneration, CacheState, LinkCache } from '@waypost/ports';
import { isNoteworthy } from '@waypost/resilience';
import { type DependencyState, errorFields, type Logger } from '@waypost/telemetry';
import { entryOf, type Known, parseEntry, UNKNOWN_ENTRY } from './entries.ts';
import { type GenerationWatch, type WhenCutOff, watchGeneration } from './generation-watch.ts';
import { type CacheSnapshot, type Misses, rememberMisses } from './misses.ts';
import type { RedisServer } from './server.ts';
import { connectServers, type Servers, type ServersOptions } from './servers.ts';

export interface RedisLinkCacheOptions extends ServersOptions {
  /** Who passes `admit` decides which servers of a cluster may be read. Redirectors do not. */
  readonly generation: Omit<CacheGeneration, 'admit'> & Partial<CacheGeneration>;
  /** A redirector keeps an entry in its own memory for this long. Only tests change it from `MICRO_CACHE_MS`. */
  readonly lifetimeMs?: number;
  /** A redirector trusts a generation for this long after reading it. All processes need the same value. */
  readonly generationLifetimeMs?: number;
  /** What readers do while the store does not answer. The default is `redirect`. */
  readonly whenCutOff?: WhenCutOff;
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
/** Redis does nothing else while a script runs. A script with 500 links takes 2 ms. */
const WRITES_AT_ONCE = 500;
/** link-api looks this often whether other servers hold the links, after a promotion for example. */
const ADMIT_EVERY_MS = 500;
/** A timer may fire up to a millisecond early, both here and in the redirector. */
const TIMER_SLACK_MS = 3;

export function redisLinkCache(options: RedisLinkCacheOptions): RedisLinkCache {
  return new SharedCache(options);
}

class SharedCache implements RedisLinkCache {
  readonly #generation: RedisLinkCacheOptions['generation'];
  readonly #logger: Logger;
  readonly #lifetimeMs: number;
  readonly #generationLifetimeMs: number;
  readonly #monotonicMs: () => number;
  readonly #servers: Servers;
  readonly #watched: GenerationWatch<CacheState>;
  readonly #misses: Misses;
  readonly #late: LateInvalidation;
  readonly #admitting: NodeJS.Timeout | undefined;
  readonly #listeners: ((record: RedirectRecord) => void)[] = [];
  /** The newest state known to this process, as JSON, and the time when it read it first. */
  #newest = { state: '', since: 0 };
  #lastError: unknown;

  constructor(options: RedisLinkCacheOptions) {
    const { generation, logger } = options;
    this.#generation = generation;
    this.#logger = logger;
    this.#lifetimeMs = options.lifetimeMs ?? MICRO_CACHE_MS;
    this.#generationLifetimeMs = options.generationLifetimeMs ?? GENERATION_LIFETIME_MS;
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.#servers = connectServers(options);
    const { whenCutOff } = options;
    const clock = { monotonicMs: this.#monotonicMs };
    this.#watched = watchGeneration({ generation, lifetimeMs: this.#generationLifetimeMs, whenCutOff, ...clock });
    this.#misses = rememberMisses(this.#monotonicMs);
    this.#late = new LateInvalidation((valid) => this.#invalidate(valid), this.#generationLifetimeMs, logger);
    if (!this.#servers.isOne && generation.admit !== undefined)
      this.#admitting = setInterval(() => void this.#admitNew().catch(() => undefined), ADMIT_EVERY_MS).unref();
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
    const current = await this.#readState().catch((error: unknown) => {
      this.#late.soon([]);
      throw error;
    });
    const valid = await this.#write(records, current, false);
    this.#notify(records);
    if (valid !== 'all') this.#late.soon(valid);
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
    const servers = this.#servers.all();
    if (servers.length === 0) return { ok: false, detail: 'Redis is not connected' };
    try {
      await Promise.all(servers.map((server) => server.ping()));
      return { ok: true };
    } catch (error) {
      return { ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#admitting);
    this.#late.stop();
    this.#watched.stop();
    this.#servers.stop();
  }

  async #readState(): Promise<CacheState> {
    const current = await this.#generation.read();
    const state = JSON.stringify(current);
    if (state !== this.#newest.state) this.#newest = { state, since: this.#monotonicMs() };
    return current;
  }

  /** Resolves to undefined if the server fails now or, unless `always`, failed several times a moment ago. */
  async #attempt<T>(
    server: RedisServer | undefined,
    work: (server: RedisServer) => Promise<T>,
    always = false,
  ): Promise<T | undefined> {
    if (server === undefined || (!always && server.breaker.leftMs() > 0)) return undefined;
    const startedAt = performance.now();
    try {
      const answer = await work(server);
      server.breaker.worked();
      return answer;
    } catch (error) {
      this.#lastError = error;
      server.failed(startedAt);
      this.#servers.refresh();
      return undefined;
    }
  }

  /** Throws if the server is not connected. Undefined if it may not be read. */
  #prefixOf(server: RedisServer, { generation, servers }: CacheState): string | undefined {
    const id = server.id();
    const name = this.#servers.isOne ? id : servers[id];
    return name === undefined ? undefined : `k${generation}:${name}:`;
  }

  async #look(slug: string): Promise<{ entry: Known | undefined; snapshot: CacheSnapshot }> {
    const nothing = { entry: undefined, snapshot: 'nothing' } as const;
    const current = await this.#watched.current();
    if (current === undefined) return nothing;
    const { server: owner, tag } = this.#servers.placeOf(slug);
    const read = async (server: RedisServer) => {
      const prefix = this.#prefixOf(server, current);
      if (prefix === undefined) return nothing;
      const { value, epoch } = await server.read(tag, prefix + tag + slug);
      const entry = value === null ? undefined : parseEntry(value);
      return { entry, snapshot: epoch === null ? ('nothing' as const) : { prefix, epoch } };
    };
    // A second read answers visitors who would get 503 for a late moment, if PostgreSQL is away.
    return (await this.#attempt(owner, read)) ?? (await this.#attempt(owner, read)) ?? nothing;
  }

  /** Writes an entry unless Redis has a newer one. Resolves to the newer record, or to undefined if it wrote. */
  async #offer(slug: string, entry: string): Promise<Known | undefined> {
    const snapshot = this.#misses.take(slug) ?? (await this.#snapshotNow(slug));
    if (snapshot === 'nothing') return undefined;
    const { server: owner, tag } = this.#servers.placeOf(slug);
    return this.#attempt(owner, async (server) => {
      const [winner] = await server.write(tag, snapshot.epoch, [{ key: snapshot.prefix + tag + slug, entry }], KEEP_MS);
      return typeof winner === 'string' ? parseEntry(winner) : undefined;
    });
  }

  /** Used for a record that this process did not look up before. */
  async #snapshotNow(slug: string): Promise<CacheSnapshot> {
    const current = await this.#watched.current();
    if (current === undefined) return 'nothing';
    const prefix = await this.#attempt(this.#servers.placeOf(slug).server, async (server) =>
      this.#prefixOf(server, current),
    );
    return prefix === undefined ? 'nothing' : { prefix, epoch: '' };
  }

  /**
   * Writes records that were just committed. The state was read after the commit. An entry with a later generation or
   * name comes from a later read of the store, which includes the commit. Resolves to the servers that nobody reads or
   * that have nothing older, as they took their records or hold none of these slugs. The others must be invalidated.
   */
  async #write(records: readonly RedirectRecord[], current: CacheState, always: boolean): Promise<Valid> {
    // Nothing waits before the first write to each server, so all of them see the same slots.
    const valid = new Map(this.#connected().map((server) => [server, server.id()]));
    const byServer = [...Map.groupBy(records, ({ slug }) => this.#servers.placeOf(slug).server)];
    const writes = byServer.map(([owner, own]) => {
      const write = async (server: RedisServer) => {
        const prefix = this.#prefixOf(server, current);
        if (prefix === undefined) {
          this.#lastError = new Error('this Redis server may not be read yet');
          return 'not admitted' as const;
        }
        for (let i = 0; i < own.length; i += WRITES_AT_ONCE) {
          const batches = Map.groupBy(own.slice(i, i + WRITES_AT_ONCE), ({ slug }) => this.#servers.placeOf(slug).tag);
          const write = ([tag, batch]: [string, RedirectRecord[]]) => {
            const entries = batch.map((record) => ({ key: prefix + tag + record.slug, entry: entryOf(record) }));
            return server.write(tag, '', entries, KEEP_MS);
          };
          await Promise.all([...batches].map(write));
        }
        return 'written' as const;
      };
      return this.#attempt(owner, write, always);
    });
    const results = await Promise.all(writes);
    if (results.every((result) => result === 'written')) return 'all';
    const failed = byServer.filter((_, i) => results[i] === undefined).map(([owner]) => owner);
    return [...valid].filter(([server]) => !failed.includes(server)).map(([, id]) => id);
  }

  /** Makes invalid what all other servers have. */
  async #invalidate(valid: readonly string[]): Promise<void> {
    if (this.#servers.isOne || this.#generation.admit === undefined) await this.#generation.bump();
    else await this.#generation.admit(valid);
  }

  #connected(): RedisServer[] {
    return this.#servers.all().filter((server) => server.isConnected);
  }

  /** Admits servers that took the place of others. A process that reaches only some must not drop the rest. */
  async #admitNew(): Promise<void> {
    const ids = this.#connected().map((server) => server.id());
    const { servers } = await this.#generation.read();
    if (ids.some((id) => servers[id] === undefined)) await this.#generation.admit?.(ids);
  }

  #notify(records: readonly RedirectRecord[]): void {
    for (const record of records) for (const listener of this.#listeners) listener(record);
  }

  /** Resolves to the milliseconds for which a redirector may still use an older version. */
  async #put(records: readonly RedirectRecord[]): Promise<number> {
    if (records.length === 0) return 0;
    const current = await this.#readState();
    // Until then a redirector may trust the previous state, and this change is not written there.
    let waitMs = this.#lifetimeMs + Math.max(0, this.#newest.since + this.#generationLifetimeMs - this.#monotonicMs());
    const valid = await this.#write(records, current, true); // even if Redis failed a moment ago
    if (valid !== 'all') {
      this.#logger.warn(
        'changed links could not be written to Redis; invalidating the cache',
        errorFields(this.#lastError),
      );
      await this.#invalidate(valid);
      waitMs = this.#lifetimeMs + this.#generationLifetimeMs;
    }
    this.#notify(records);
    return waitMs + TIMER_SLACK_MS;
  }
}

/** The ids of servers. */
type Valid = 'all' | readonly string[];

/**
 * When new links could not be written, other processes may still know their slugs as unknown. An invalidation corrects
 * that. Links are created all the time, so there is one for many links.
 */
class LateInvalidation {
  readonly #invalidate: (valid: readonly string[]) => Promise<void>;
  readonly #afterMs: number;
  readonly #logger: Logger;
  #timer: NodeJS.Timeout | undefined;
  /** The servers that took all links since the last invalidation. */
  #valid: readonly string[] | undefined;
  #failures = 0;
  #stopped = false;

  constructor(invalidate: (valid: readonly string[]) => Promise<void>, afterMs: number, logger: Logger) {
    this.#invalidate = invalidate;
    this.#afterMs = afterMs;
    this.#logger = logger;
  }

  soon(valid: readonly string[]): void {
    this.#valid = this.#valid?.filter((id) => valid.includes(id)) ?? valid;
    this.#timer ??= setTimeout(() => void this.#run(), this.#afterMs);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const valid = this.#valid ?? [];
    this.#timer = undefined;
    this.#valid = undefined;
    try {
      await this.#invalidate(valid);
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (isNoteworthy(this.#failures)) this.#logger.warn('the cache could not be invalidated', errorFields(error));
      if (!this.#stopped) this.soon(valid);
    }
  }
}
