/**
 * Resolves a slug to its link, and never to a version from before an answered revoke
 * (libs/domain/decisions/0008-revoke-and-the-cache.md).
 *
 * A micro-cache in memory sits in front of the shared cache. An entry lives at most `lifetimeMs` from before its read
 * began, and use does not renew it. A revoke waits that long and then knows that nobody uses an older version. Where
 * all changes happen in this process (all-in-one), entries do not expire and `cache.watch` replaces them.
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
  /** Called for each slug that was found, or not, in one of the stores. */
  readonly onRead?: (source: 'cache' | 'database') => void;
  /** The longest that a visitor waits for a store. */
  readonly timeoutMs?: number;
}

/** A link in memory. */
export interface Resolved {
  readonly record: RedirectRecord;
  /** Where its visitors go at once; undefined unless the link is active, and no preview page comes first. */
  readonly location: string | undefined;
}

export interface ResolveSlug {
  /** The link, null if there is none, or undefined if only `lookUp` can tell. */
  cached(slug: string): Resolved | null | undefined;
  /** Resolves to the link, or null if there is none. Rejects with `unavailable` if no store answers in time. */
  lookUp(slug: string): Promise<Resolved | null>;
  /** Forgets that these slugs were unknown: their links are new. */
  made(slugs: readonly string[]): void;
  /** The number of links in memory. */
  size(): number;
}

const TIMEOUT_MS = 1_800;
const UNKNOWN_FOR_MS = 1_000;
const UNKNOWN_MAX = 50_000;
/** Cap on concurrent loads, for a flood while the store hangs; above it, look-ups fail at once. */
const LOADS_MAX = 5_000;

interface Entry extends Resolved {
  readonly until: number;
}

interface Load {
  result?: Promise<Resolved | null>;
  /** The link was replaced during the read, which may have returned an older version. */
  stale: boolean;
  /** It took too long, and nobody waits for it. */
  givenUp: boolean;
}

export function slugResolver(deps: ResolveSlugDeps): ResolveSlug {
  const { cache, reader, timeoutMs = TIMEOUT_MS } = deps;
  const { lifetimeMs, size } = deps.microCache;
  const monotonicMs = deps.monotonicMs ?? (() => performance.now());
  const entries = new Map<string, Entry>();
  const unknownUntil = new Map<string, number>();
  const loads = new Map<string, Load>();

  cache.watch((record) => {
    forgetRead(record.slug);
    keep(record, monotonicMs());
  });

  /** Invalidates earlier and running reads of the slug. */
  function forgetRead(slug: string): void {
    unknownUntil.delete(slug);
    const load = loads.get(slug);
    if (load !== undefined) load.stale = true;
  }

  function cached(slug: string): Resolved | null | undefined {
    const entry = entries.get(slug);
    if (entry !== undefined) {
      if (entry.until === Number.POSITIVE_INFINITY || monotonicMs() < entry.until) return entry;
      return undefined;
    }
    const until = unknownUntil.get(slug);
    return until !== undefined && monotonicMs() < until ? null : undefined;
  }

  async function lookUp(slug: string): Promise<Resolved | null> {
    if (!isSlug(slug)) return null; // never reaches a store
    const running = loads.get(slug);
    if (running?.result !== undefined) return running.result;
    if (loads.size >= LOADS_MAX) throw unavailable('too many slugs are being looked up');

    const load: Load = { stale: false, givenUp: false };
    loads.set(slug, load);
    load.result = withinTime(readUntilFresh(slug, load));
    try {
      return await load.result;
    } finally {
      // After a timeout too: the next visitor must not wait for a read that hangs.
      load.givenUp = true;
      loads.delete(slug);
    }
  }

  async function readUntilFresh(slug: string, load: Load): Promise<Resolved | null> {
    while (!load.givenUp) {
      load.stale = false;
      const startedAt = monotonicMs();
      const record = await read(slug);
      if (load.stale) continue;
      if (record === null) return keepUnknown(slug);
      const resolved = keep(record, startedAt);
      // A revoke may have overtaken a read that took longer than the lifetime. That harms only a redirect.
      if (resolved.location === undefined || monotonicMs() - startedAt <= lifetimeMs) return resolved;
    }
    throw unavailable('the look-up took too long');
  }

  /** Reads the cache, else the store. The fill returns the newest version. */
  async function read(slug: string): Promise<RedirectRecord | null> {
    const shared = await cache.get(slug).catch(() => undefined);
    if (shared !== undefined) {
      deps.onRead?.('cache');
      return shared;
    }
    const stored = await reader.find(slug);
    deps.onRead?.('database');
    return stored === undefined ? cache.fillUnknown(slug).catch(() => null) : cache.fill(stored).catch(() => stored);
  }

  /** Stores the record unless memory has a newer version; returns the newer of the two. */
  function keep(record: RedirectRecord, startedAt: number): Resolved {
    const { slug } = record;
    const existing = entries.get(slug);
    const until = startedAt + lifetimeMs;
    // A link's version only grows, so a newer version stays valid.
    const isOlder = existing !== undefined && existing.record.version > record.version;
    const { record: newest, location } = isOlder
      ? existing
      : { record, location: record.previewFirst === true ? undefined : locationOf(record) };
    const entry: Entry = { record: newest, location, until: isOlder ? Math.max(until, existing.until) : until };
    if (existing === undefined && entries.size >= size) dropOldest(entries);
    entries.set(slug, entry);
    return entry;
  }

  function keepUnknown(slug: string): null {
    if (unknownUntil.size >= UNKNOWN_MAX) dropOldest(unknownUntil);
    unknownUntil.set(slug, monotonicMs() + UNKNOWN_FOR_MS);
    return null;
  }

  async function withinTime(work: Promise<Resolved | null>): Promise<Resolved | null> {
    const resolved = await within(work, timeoutMs, undefined);
    if (resolved === undefined) throw unavailable(`no store answered within ${timeoutMs} ms`);
    return resolved;
  }

  return { cached, lookUp, made: (slugs) => slugs.forEach(forgetRead), size: () => entries.size };
}

/** Where an active link leads. A URL serialised by the WHATWG standard is ASCII, whatever the owner typed. */
export function locationOf({ status, destinationUrl }: RedirectRecord): string | undefined {
  return status === 'active' ? URL.parse(destinationUrl)?.href : undefined;
}

function dropOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
