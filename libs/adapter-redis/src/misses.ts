/**
 * The state of the cache when it did not have a link. The link is then read from the store and written to the cache
 * under this state. If the generation or the epoch changed meanwhile, the link may be old, and nobody must read it.
 */
export interface Seen {
  readonly prefix: string;
  readonly epoch: string;
}

/** A read from the store never takes longer: PostgreSQL stops statements after 2 s. */
const READ_MAX_MS = 5_000;

/** `nothing` means that the cache did not answer or had just been flushed. Nothing may be written then. */
export type CacheSnapshot = Seen | 'nothing';

export type Misses = ReturnType<typeof rememberMisses>;

export function rememberMisses(monotonicMs: () => number) {
  // The map is in order of time, so misses without a later write are at its start.
  const misses = new Map<string, { snapshot: CacheSnapshot; at: number; readers: number }>();

  function forgetOld(now: number): void {
    for (const [slug, { at }] of misses) {
      if (now - at <= READ_MAX_MS) return;
      misses.delete(slug);
    }
  }

  return {
    note(slug: string, snapshot: CacheSnapshot): void {
      const now = monotonicMs();
      forgetOld(now);
      const miss = misses.get(slug);
      // A later write does not say which reader it belongs to. The oldest state is correct for all readers.
      if (miss !== undefined) miss.readers += 1;
      else misses.set(slug, { snapshot, at: now, readers: 1 });
    },
    /** Returns the state at the miss, for the write that follows it. Undefined if there was no miss. */
    take(slug: string): CacheSnapshot | undefined {
      const miss = misses.get(slug);
      if (miss === undefined) return undefined;
      miss.readers -= 1;
      if (miss.readers === 0) misses.delete(slug);
      return miss.snapshot;
    },
  };
}
