import type { ClickFigures } from '@waypost/domain';

export interface ClickStats {
  /**
   * The figures of one link over whole UTC days, `from` and `to` included (`YYYY-MM-DD`). Top lists have at most 10
   * entries, highest count first, ties by name; `top_countries` omits `ZZ`. `bots: 'exclude'` leaves bots out of every
   * figure. `signal` aborts when the caller no longer waits.
   */
  figures(
    slug: string,
    range: { from: string; to: string },
    bots: 'include' | 'exclude',
    signal?: AbortSignal,
  ): Promise<ClickFigures>;
}
