/**
 * What a reader saw of the cache when it missed: the generation, the server and the epoch. Its fill, which follows a
 * read from the store, is written under these: if the generation was raised or Redis flushed in between, the store may
 * have changed in between as well.
 */
export interface Seen {
  readonly prefix: string;
  readonly epoch: string;
}

/** The longest possible read from the store: PostgreSQL ends statements after 2 s. */
const READ_MAX_MS = 5_000;

/** `nothing`: the cache could not answer, or had just been flushed. Then nothing may be filled. */
export type CacheSnapshot = Seen | 'nothing';

export interface Misses {
  note(slug: string, snapshot: CacheSnapshot): void;
  /** The snapshot for the fill that follows a miss; undefined if there was no miss. */
  take(slug: string): CacheSnapshot | undefined;
}

export function rememberMisses(monotonicMs: () => number): Misses {
  // In order of time, so that misses without a fill are at the front.
  const misses = new Map<string, { snapshot: CacheSnapshot; at: number; readers: number }>();

  function forgetOld(now: number): void {
    for (const [slug, { at }] of misses) {
      if (now - at <= READ_MAX_MS) return;
      misses.delete(slug);
    }
  }

  return {
    note(slug, snapshot) {
      const now = monotonicMs();
      forgetOld(now);
      const miss = misses.get(slug);
      // We cannot tell to which of several readers a fill belongs; the oldest snapshot is correct for all of them.
      if (miss !== undefined) miss.readers += 1;
      else misses.set(slug, { snapshot, at: now, readers: 1 });
    },
    take(slug) {
      const miss = misses.get(slug);
      if (miss === undefined) return undefined;
      miss.readers -= 1;
      if (miss.readers === 0) misses.delete(slug);
      return miss.snapshot;
    },
  };
}
