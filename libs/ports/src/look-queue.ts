import type { ScannedLink } from './scanned-links.ts';

export interface DueLook extends ScannedLink {
  readonly flagged: boolean;
  /** Looks that have begun, this one included. */
  readonly tries: number;
}

/** Links that the scanner owes another look, durable. A link waits once, whatever the number of reasons. */
export interface LookQueue {
  /** A link that waits already keeps the earlier time. */
  add(slugs: readonly string[], at: Date): Promise<void>;
  /**
   * Those that are due, the longest waiting first; they are due again after `leaseMs` unless they are finished or put
   * back. Forgets links that are not filed any more.
   */
  take(now: Date, limit: number, leaseMs: number): Promise<readonly DueLook[]>;
  finish(slugs: readonly string[]): Promise<void>;
  putBack(slugs: readonly string[], at: Date): Promise<void>;
  /** Those of the hosts that nobody has claimed since `since`: they are the caller's now. */
  claimHosts(hosts: readonly string[], now: Date, since: Date): Promise<readonly string[]>;
}
