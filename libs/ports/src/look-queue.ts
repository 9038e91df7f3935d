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
   * Those that are due, the longest waiting first; they are due again at `until` unless they are finished or put back.
   * Forgets links that are not filed any more.
   */
  take(now: Date, limit: number, until: Date): Promise<readonly DueLook[]>;
  /** Ends looks that were taken with this `until`. A link that was added or taken again since then stays as it is. */
  finish(slugs: readonly string[], until: Date): Promise<void>;
  /** As `finish`, but they are due at `at`. */
  putBack(slugs: readonly string[], until: Date, at: Date): Promise<void>;
  /**
   * Adds a link for each host that has had none since `since`, all or nothing: of callers at once, one adds it. Resolves
   * to how many it added.
   */
  addForHosts(links: readonly { host: string; slug: string }[], now: Date, since: Date): Promise<number>;
}
