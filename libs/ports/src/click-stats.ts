import type { ClickFigures } from '@waypost/domain';

export interface ClickStats {
  /**
   * The figures of one link over whole UTC days, `from` and `to` included (`YYYY-MM-DD`). Tops hold at most 10,
   * highest count first, ties by name; `top_countries` leaves `ZZ` out. `bots: 'exclude'` leaves bots out of all.
   * `signal` says that nobody waits any more.
   */
  figures(
    slug: string,
    range: { from: string; to: string },
    bots: 'include' | 'exclude',
    signal?: AbortSignal,
  ): Promise<ClickFigures>;
}
