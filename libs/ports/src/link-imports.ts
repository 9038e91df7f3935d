import type { DayClicks, LinkChange, Verdict } from '@waypost/domain';

/** A link that moves in from another service, with its clicks of the days that are still kept. */
export type ImportedLink = LinkChange & { readonly verdict: Verdict; readonly days: readonly DayClicks[] };

export interface LinkImports {
  /**
   * Stores the links with their verdicts, events and days in one transaction, outside the quota, and leaves out those
   * whose slug exists by now. No slug may occur twice. Resolves to the slugs that were stored.
   */
  store(links: readonly ImportedLink[]): Promise<readonly string[]>;
  /** The imported clicks of a link, `from` and `to` (`YYYY-MM-DD`) included. */
  days(slug: string, range: { from: string; to: string }): Promise<readonly DayClicks[]>;
  /** Drops days that are older than clicks are kept. */
  forget(now: Date): Promise<void>;
}
