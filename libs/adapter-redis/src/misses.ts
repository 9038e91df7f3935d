/**
 * What a reader saw of the cache when it missed: under which generation, of which server, in which epoch. Its fill, which
 * comes after a read from the store, is made as of then: a generation that was raised, or a FLUSHALL, in between means
 * that the store may have changed in between, too.
 */
export interface Seen {
  readonly prefix: string;
  readonly epoch: string;
}

/** No read from the store takes longer: PostgreSQL's statements end after 2 s. */
const READ_MAX_MS = 5_000;

/** `nothing`: the cache could not be asked, or had just been flushed. Then nothing may be filled. */
export type Sight = Seen | 'nothing';

export interface Misses {
  note(slug: string, sight: Sight): void;
  /** For the fill that follows a miss; undefined if none went before. */
  take(slug: string): Sight | undefined;
}

export function rememberMisses(monotonicMs: () => number): Misses {
  // In order of time, so that those whose fill never came are found at the front.
  const misses = new Map<string, { sight: Sight; at: number; readers: number }>();

  function forgetOld(now: number): void {
    for (const [slug, { at }] of misses) {
      if (now - at <= READ_MAX_MS) return;
      misses.delete(slug);
    }
  }

  return {
    note(slug, sight) {
      const now = monotonicMs();
      forgetOld(now);
      const miss = misses.get(slug);
      // Which of several readers a fill is of cannot be told: the oldest sight is right for all of them.
      if (miss !== undefined) miss.readers += 1;
      else misses.set(slug, { sight, at: now, readers: 1 });
    },
    take(slug) {
      const miss = misses.get(slug);
      if (miss === undefined) return undefined;
      miss.readers -= 1;
      if (miss.readers === 0) misses.delete(slug);
      return miss.sight;
    },
  };
}
