import type { ProviderStatus } from './recheck/providers/provider.ts';
import type { FeedStatus } from './threats/feed-status.ts';

export interface ScannerStatus {
  /** Without a threat database every scan is `unavailable`. */
  readonly ok: boolean;
  /** Feeds that are stale or fail, and the age of the threat data. */
  readonly detail?: string;
  readonly generation: string | null;
  readonly entries: number;
  readonly rescansOwed: number;
  readonly feeds: readonly FeedStatus[];
  readonly providers: readonly ProviderStatus[];
}
