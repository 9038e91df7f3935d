import type { ScannedLink } from './scanned-links.ts';

export interface ClaimedDeepScan extends ScannedLink {
  /** Of its destination, or the one on its way that it was postponed for: a registrable domain, or a host. */
  readonly site: string;
  /** Attempts so far, this one included. */
  readonly attempts: number;
}

/** The links whose destinations are followed in the background. It outlives the processes that work on it. */
export interface DeepScanQueue {
  /** A link that is queued already stays as it is. Resolves to the slugs for which there is no room. */
  add(links: readonly (ScannedLink & { readonly site: string })[], most: number, now: Date): Promise<readonly string[]>;
  /** Resolves for slugs that are not queued, too. */
  drop(slugs: readonly string[]): Promise<void>;
  /**
   * The oldest that are due, one of each site, of none of `busySites`. Nobody else gets them within `leaseMs`; later
   * they are due again, unless they were dropped.
   */
  claim(
    options: { readonly limit: number; readonly busySites: readonly string[]; readonly leaseMs: number },
    now: Date,
  ): Promise<readonly ClaimedDeepScan[]>;
  /** Due again at that time, and then when `busySite`, a site on its way, is not busy. */
  postpone(slug: string, until: Date, busySite?: string): Promise<void>;
  backlog(): Promise<{ readonly waiting: number }>;
}
