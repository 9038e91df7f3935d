import type { ClickFigures } from '@waypost/domain';

export interface ClickStats {
  /**
   * Resolves to the figures of one link for whole UTC days. `from` and `to` are included (`YYYY-MM-DD`). Each top list
   * has at most 10 entries, highest count first, then by name; `top_countries` omits `ZZ`. With `bots: 'exclude'`, no
   * figure includes bots. `signal` aborts when the caller no longer waits.
   */
  figures(
    slug: string,
    range: { from: string; to: string },
    bots: 'include' | 'exclude',
    signal?: AbortSignal,
  ): Promise<ClickFigures>;
}
