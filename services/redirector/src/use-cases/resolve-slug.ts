/**
 * What a slug leads to, and never an answer that a revoke has overtaken
 * (libs/domain/decisions/0008-revoke-waits-out-the-micro-cache.md).
 *
 * In front of the shared cache stands a micro-cache in memory. An entry lives at most `lifetimeMs`, counted from the
 * moment before its read began and not renewed by use: a revoke waits that long and then knows that nobody answers
 * by an older version. Where all changes are made in this process (all-in-one) entries live on and `cache.watch`
 * replaces them.
 */
import { isSlug, type RedirectRecord, unavailable } from '@waypost/domain';
import type { LinkCache, LinkReader } from '@waypost/ports';
import { within } from '@waypost/resilience';

export interface ResolveSlugDeps {
  readonly cache: LinkCache;
  readonly reader: LinkReader;
  readonly microCache: { readonly lifetimeMs: number; readonly size: number };
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs?: () => number;
  /** A visitor never waits longer for a store. */
  readonly timeoutMs?: number;
}

/** A link as it is held in memory. */
export interface Resolved {
  readonly record: RedirectRecord;
  /** Where visitors are sent; undefined unless the link is active. */
  readonly location: string | undefined;
}

export interface ResolveSlug {
  /** The link, null if there is none, or undefined if that must be looked up first. */
  known(slug: string): Resolved | null | undefined;
  /** Resolves to the link, or null if there is none. Rejects with `unavailable` if that cannot be found out in time. */
  lookUp(slug: string): Promise<Resolved | null>;
  /** These links were made just now: none is remembered as unknown any more. */
  made(slugs: readonly string[]): void;
  /** How many links are held in memory. */
  size(): number;
}

const TIMEOUT_MS = 1_800;
const UNKNOWN_FOR_MS = 1_000;
const UNKNOWN_MAX = 50_000;
/** More would be a flood while the store hangs: it is told "later" at once. */
const LOADS_MAX = 5_000;

interface Entry extends Resolved {
  readonly until: number;
}

interface Load {
  result?: Promise<Resolved | null>;
  /** The link was replaced while it was being read: what was read may be older. */
  stale: boolean;
  /** It took too long, and nobody waits for it any more. */
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

  /** What was read before now, and what is being read, says nothing any more. */
  function forgetRead(slug: string): void {
    unknownUntil.delete(slug);
    const load = loads.get(slug);
    if (load !== undefined) load.stale = true;
  }

  function known(slug: string): Resolved | null | undefined {
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
      const begun = monotonicMs();
      const record = await read(slug);
      if (load.stale) continue;
      if (record === null) return keepUnknown(slug);
      const resolved = keep(record, begun);
      // What took longer than its lifetime may have been overtaken; only a redirect could do harm by that.
      if (resolved.location === undefined || monotonicMs() - begun <= lifetimeMs) return resolved;
    }
    throw unavailable('the look-up took too long');
  }

  /** From the cache, else from the store; then the cache says who wins. */
  async function read(slug: string): Promise<RedirectRecord | null> {
    const cached = await cache.get(slug).catch(() => undefined);
    if (cached !== undefined) return cached;
    const stored = await reader.find(slug);
    return stored === undefined ? cache.fillUnknown(slug).catch(() => null) : cache.fill(stored).catch(() => stored);
  }

  /** Holds the record unless a newer version is held; answers with the newer of the two. */
  function keep(record: RedirectRecord, begun: number): Resolved {
    const { slug } = record;
    const held = entries.get(slug);
    const until = begun + lifetimeMs;
    // A link's version only ever grows, so what was newer before is still the better answer.
    const isOlder = held !== undefined && held.record.version > record.version;
    const { record: newest, location } = isOlder ? held : { record, location: target(record) };
    const entry: Entry = { record: newest, location, until: isOlder ? Math.max(until, held.until) : until };
    if (held === undefined && entries.size >= size) dropOldest(entries);
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

  return { known, lookUp, made: (slugs) => slugs.forEach(forgetRead), size: () => entries.size };
}

/** The serialisation of the WHATWG URL standard is ASCII, whatever the owner typed. */
function target({ status, destinationUrl }: RedirectRecord): string | undefined {
  return status === 'active' ? URL.parse(destinationUrl)?.href : undefined;
}

function dropOldest(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}
