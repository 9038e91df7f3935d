import type { ScannedLink } from '../recheck/scanned-links.port.ts';

export interface ClaimedDeepScan extends ScannedLink {
  /** The registrable domain or host of the destination, or of the busy site that the scan was postponed for. */
  readonly site: string;
  /** The number includes the present attempt. */
  readonly attempts: number;
}

/** Links whose destinations are followed in the background. The queue outlives the processes. */
export interface DeepScanQueue {
  /** Does not change a link that is queued. Resolves to the slugs that exceed `most`. */
  add(links: readonly (ScannedLink & { readonly site: string })[], most: number, now: Date): Promise<readonly string[]>;
  drop(slugs: readonly string[]): Promise<void>;
  /** The oldest that are due, one for each site, without `busySites`. Due again after `leaseMs` unless dropped. */
  claim(
    options: { readonly limit: number; readonly busySites: readonly string[]; readonly leaseMs: number },
    now: Date,
  ): Promise<readonly ClaimedDeepScan[]>;
  /** The scan is due at that time, or later if `busySite` is still busy then. */
  postpone(slug: string, until: Date, busySite?: string): Promise<void>;
  backlog(): Promise<{ readonly waiting: number }>;
}
