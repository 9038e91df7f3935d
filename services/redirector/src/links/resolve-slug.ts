/**
 * Resolves a slug to its link. After a revoke was answered, it never uses an older version of that link
 * (libs/domain/decisions/0008-revoke-and-the-cache.md).
 *
 * A small cache in memory avoids most reads of the shared cache. An entry is valid for `lifetimeMs`, counted from the
 * start of its read, and a revoke waits that long. In all-in-one all changes happen in this process: `cache.watch`
 * replaces entries, and they do not expire.
 */
import { isSlug, type RedirectRecord, unavailable } from '@waypost/domain';
import type { LinkCache, LinkReader } from '@waypost/ports';
import { within } from '@waypost/resilience';

export interface ResolveSlugDeps {
  readonly cache: LinkCache;
  readonly reader: LinkReader;
  readonly microCache: { readonly lifetimeMs: number; readonly size: number };
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs?: () => number;
  /** Called after each read that got an answer, whether or not it found a link. */
  readonly onRead?: (source: 'cache' | 'database') => void;
  /** A visitor waits at most this long for a store. */
  readonly timeoutMs?: number;
}

export interface Resolved {
  readonly record: RedirectRecord;
  /** The redirect's destination. Undefined if the link is not active. */
  readonly location: string | undefined;
  /** When the link ends, in Unix milliseconds. Compare the clock before each redirect. */
  readonly endsAt: number;
}

const TIMEOUT_MS = 1_800;
const UNKNOWN_FOR_MS = 1_000;
const UNKNOWN_MAX = 50_000;
/** The limit of concurrent loads, for a flood of requests while the store hangs. Further look-ups fail at once. */
const LOADS_MAX = 5_000;

interface Entry extends Resolved {
  readonly until: number;
}

interface Load {
  result?: Promise<Resolved | null>;
  /** The link was replaced during the read, which may have returned an older version. */
  stale: boolean;
  /** The read took too long, and nobody waits for it any longer. */
  givenUp: boolean;
}

export class SlugResolver {
  readonly #deps: ResolveSlugDeps;
  readonly #lifetimeMs: number;
  readonly #size: number;
  readonly #monotonicMs: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #unknownUntil = new Map<string, number>();
  readonly #loads = new Map<string, Load>();

  constructor(deps: ResolveSlugDeps) {
    this.#deps = deps;
    this.#lifetimeMs = deps.microCache.lifetimeMs;
    this.#size = deps.microCache.size;
    this.#monotonicMs = deps.monotonicMs ?? (() => performance.now());
    deps.cache.watch((record) => {
      this.#forgetRead(record.slug);
      this.#keep(record, this.#monotonicMs());
    });
  }

  /** Returns the link, null if there is none, or undefined if only `lookUp` can tell. */
  cached(slug: string): Resolved | null | undefined {
    const entry = this.#entries.get(slug);
    if (entry !== undefined) {
      if (entry.until === Number.POSITIVE_INFINITY || this.#monotonicMs() < entry.until) return entry;
      return undefined;
    }
    const until = this.#unknownUntil.get(slug);
    return until !== undefined && this.#monotonicMs() < until ? null : undefined;
  }

  /** Resolves to the link, or null if there is none. Rejects with `unavailable` if no store answers in time. */
  async lookUp(slug: string): Promise<Resolved | null> {
    if (!isSlug(slug)) return null; // this never reaches a store
    const running = this.#loads.get(slug);
    if (running?.result !== undefined) return running.result;
    if (this.#loads.size >= LOADS_MAX) throw unavailable('too many slugs are being looked up');

    const load: Load = { stale: false, givenUp: false };
    this.#loads.set(slug, load);
    load.result = this.#withinTime(this.#readUntilFresh(slug, load));
    try {
      return await load.result;
    } finally {
      // Do this after a timeout, too: the next visitor must not wait for a read that hangs.
      load.givenUp = true;
      this.#loads.delete(slug);
    }
  }

  /** Forgets that these slugs were unknown, because their links are new. */
  created(slugs: readonly string[]): void {
    for (const slug of slugs) this.#forgetRead(slug);
  }

  size(): number {
    return this.#entries.size;
  }

  #forgetRead(slug: string): void {
    this.#unknownUntil.delete(slug);
    const load = this.#loads.get(slug);
    if (load !== undefined) load.stale = true;
  }

  async #readUntilFresh(slug: string, load: Load): Promise<Resolved | null> {
    while (!load.givenUp) {
      load.stale = false;
      const startedAt = this.#monotonicMs();
      const record = await this.#read(slug);
      if (load.stale) continue;
      if (record === null) return this.#keepUnknown(slug);
      const resolved = this.#keep(record, startedAt);
      // A read longer than the lifetime may have missed a revoke, so its redirect is not used. A page does no harm.
      if (resolved.location === undefined || this.#monotonicMs() - startedAt <= this.#lifetimeMs) return resolved;
    }
    throw unavailable('the look-up took too long');
  }

  /** Reads the cache, then the store. The cache may answer a fill with a newer version. */
  async #read(slug: string): Promise<RedirectRecord | null> {
    const { cache, reader, onRead } = this.#deps;
    const shared = await cache.get(slug).catch(() => undefined);
    if (shared !== undefined) {
      onRead?.('cache');
      return shared;
    }
    const record = await reader.find(slug);
    onRead?.('database');
    return record === undefined ? cache.fillUnknown(slug).catch(() => null) : cache.fill(record).catch(() => record);
  }

  /** Stores the record unless memory has a newer version. Returns the newer of the two. */
  #keep(record: RedirectRecord, startedAt: number): Resolved {
    const { slug } = record;
    const existing = this.#entries.get(slug);
    const until = startedAt + this.#lifetimeMs;
    // A link's version only grows, so a newer version stays valid.
    const isOlder = existing !== undefined && existing.record.version > record.version;
    const endsAt = record.endsAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(record.endsAt);
    const entry: Entry = isOlder
      ? { ...existing, until: Math.max(until, existing.until) }
      : { record, location: locationOf(record), endsAt, until };
    if (existing === undefined && this.#entries.size >= this.#size) dropOldest(this.#entries);
    this.#entries.set(slug, entry);
    return entry;
  }

  #keepUnknown(slug: string): null {
    if (this.#unknownUntil.size >= UNKNOWN_MAX) dropOldest(this.#unknownUntil);
    this.#unknownUntil.set(slug, this.#monotonicMs() + UNKNOWN_FOR_MS);
    return null;
  }

  async #withinTime(work: Promise<Resolved | null>): Promise<Resolved | null> {
    const { timeoutMs = TIMEOUT_MS } = this.#deps;
    const resolved = await within(work, timeoutMs, undefined);
    if (resolved === undefined) throw unavailable(`no store answered within ${timeoutMs} ms`);
    return resolved;
  }
}

/**
 * Returns the destination of an active link. A URL serialised by the WHATWG standard is ASCII, whatever the owner
 * typed.
 */
function locationOf({ status, destinationUrl }: RedirectRecord): string | undefined {
  return status === 'active' ? URL.parse(destinationUrl)?.href : undefined;
}

function dropOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
