import type { DayClicks, LinkChange, Verdict } from '@waypost/domain';

export type ImportedLink = LinkChange & { readonly verdict: Verdict; readonly days: readonly DayClicks[] };

export interface LinkImports {
  /**
   * Stores links of an account with their verdicts, events and daily clicks in one transaction, without using quota.
   * Skips a link whose slug exists. `now` is the time of the scan. Resolves to the slugs that were stored.
   */
  store(ownerId: string, links: readonly ImportedLink[], now: Date): Promise<readonly string[]>;
  /** Resolves to the imported clicks of a link from day `from` to day `to`, both included (`YYYY-MM-DD`). */
  days(slug: string, range: { from: string; to: string }): Promise<readonly DayClicks[]>;
  forget(now: Date): Promise<void>;
}
