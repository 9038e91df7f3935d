import type { AccountFigures, ClickFigures, DayClicks, DayRange, LinkClicks, Totals } from '@waypost/domain';

/** With `exclude`, no figure includes bots. */
export type Bots = 'include' | 'exclude';

/** Reads the clicks that are stored. `signal` aborts when the caller no longer waits. */
export interface ClickStats {
  /**
   * Resolves to the figures of one link. Each top list has at most 10 entries, highest count first, then by name;
   * `top_countries` omits `ZZ`.
   */
  figures(
    link: { readonly ownerId: string; readonly slug: string },
    range: DayRange,
    bots: Bots,
    signal?: AbortSignal,
  ): Promise<ClickFigures>;
  /**
   * Resolves to the figures of all links of an account. A visitor counts once for each link. `unique_visitors` is exact
   * up to 50,000 and an estimate within 1 % above. `links` are those of `topLinks`.
   */
  accountFigures(ownerId: string, range: DayRange, bots: Bots, signal?: AbortSignal): Promise<AccountFigures>;
  /** Resolves to two of the figures of `accountFigures`. */
  accountTotals(ownerId: string, range: DayRange, bots: Bots, signal?: AbortSignal): Promise<Totals>;
  /** Resolves to the `TOP_LINKS` links of an account with the most clicks, highest count first, then by slug. */
  topLinks(ownerId: string, range: DayRange, bots: Bots, signal?: AbortSignal): Promise<readonly LinkClicks[]>;
  /** Resolves to the days with clicks of these links of an account, in any order. */
  days(
    ownerId: string,
    slugs: readonly string[],
    range: DayRange,
    bots: Bots,
    signal?: AbortSignal,
  ): Promise<readonly (DayClicks & { readonly slug: string })[]>;
}
