import type { Verdict } from '@waypost/domain';

export interface ScanResult {
  /** The generation of the threat database that decided all `verdicts`. */
  readonly generation: string;
  /** One per URL, in the same order. */
  readonly verdicts: readonly Verdict[];
}

export interface UrlScanner {
  /** One call for a whole request, 1 to 500 URLs. Throws `unavailable` if it cannot decide in time. */
  scan(urls: readonly string[]): Promise<ScanResult>;
}

export interface ThreatFeed {
  readonly name: string;
  readonly entries: number;
  /** ISO 8601; null if it never came. Of a shipped feed, the date of the data. */
  readonly updated_at: string | null;
  readonly age_seconds: number | null;
  /** Older than twice its period; always false for a feed that is not polled. */
  readonly stale: boolean;
  /** Of the last attempt to update it. */
  readonly last_error: string | null;
}

export interface ThreatFeeds {
  /** By name. Throws `unavailable` if the scanner does not answer. */
  list(): Promise<readonly ThreatFeed[]>;
}
