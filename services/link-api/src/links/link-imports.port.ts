import type { DayClicks, DayRange, LinkChange, LinkClicks, Verdict } from '@waypost/domain';

export type ImportedLink = LinkChange & { readonly verdict: Verdict; readonly days: readonly DayClicks[] };

export interface LinkImports {
  /**
   * Stores links of an account with their verdicts, events and daily clicks in one transaction, without using quota.
   * Skips a link whose slug exists. `now` is the time of the scan. Resolves to the slugs that were stored, which the
   * audit log notes.
   */
  store(ownerId: string, links: readonly ImportedLink[], now: Date): Promise<readonly string[]>;
  /** Resolves to the imported clicks of these links by day. */
  days(slugs: readonly string[], range: DayRange): Promise<readonly (DayClicks & { readonly slug: string })[]>;
  /** Resolves to the imported clicks of an account, by day and for the `TOP_LINKS` links with the most of them. */
  ofAccount(
    ownerId: string,
    range: DayRange,
  ): Promise<{ readonly days: readonly DayClicks[]; readonly links: readonly LinkClicks[] }>;
  forget(now: Date): Promise<void>;
}
