import type { ScannedLink } from './scanned-links.port.ts';

export interface DueRecheck extends ScannedLink {
  readonly flagged: boolean;
  /** The number includes the present try. */
  readonly tries: number;
}

/** Links that are due a recheck, durable. A link is queued once. */
export interface RecheckQueue {
  /** A queued link keeps the earlier time. */
  add(slugs: readonly string[], at: Date): Promise<void>;
  /** The longest waiting first. They are due again at `until`. Drops links that are not filed any more. */
  take(now: Date, limit: number, until: Date): Promise<readonly DueRecheck[]>;
  /** Drops rechecks that were taken with this `until`, unless they were added or taken again. */
  finish(slugs: readonly string[], until: Date): Promise<void>;
  /** Like `finish`, but the links are due again at `at`. */
  putBack(slugs: readonly string[], until: Date, at: Date): Promise<void>;
  /** Adds a link for each host without one since `since`, once among concurrent callers. Resolves to their number. */
  addForHosts(links: readonly { host: string; slug: string }[], now: Date, since: Date): Promise<number>;
}
