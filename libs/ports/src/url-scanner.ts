import type { Verdict } from '@waypost/domain';

export interface ScanResult {
  /** The generation of the threat database with which all `verdicts` were made. */
  readonly generation: string;
  /** One verdict per URL, in the same order. */
  readonly verdicts: readonly Verdict[];
}

export interface UrlScanner {
  /** Takes all URLs of a request at once, 1 to 500. Throws `unavailable` if the scanner cannot decide in time. */
  scan(urls: readonly string[]): Promise<ScanResult>;
}

export interface OwnListing {
  readonly entry: string;
  /** ISO 8601: since when the feed has this entry. */
  readonly since: string;
}

export interface ThreatFeed {
  readonly name: string;
  readonly entries: number;
  /** When the content last changed, in ISO 8601; null if it never came. A bundled feed has the date of its data. */
  readonly updated_at: string | null;
  readonly age_seconds: number | null;
  /** True if the content has not changed for seven periods. Always false for a feed that is not polled. */
  readonly stale: boolean;
  /** The error of the last attempt to update the feed; null if it succeeded. */
  readonly last_error: string | null;
  /** Hosts and pages of this service in the feed, at most 100. */
  readonly own_addresses: readonly OwnListing[];
  /** The slugs of short links in the feed, at most 100. */
  readonly own_links: readonly OwnListing[];
  /** Where to ask the publisher to remove an entry; null if unknown. */
  readonly removal_url: string | null;
}

export interface ThreatFeeds {
  /** Resolves to the feeds in order of names. Throws `unavailable` if the scanner does not answer. */
  list(): Promise<readonly ThreatFeed[]>;
}
