/** These types describe a stored click. `ClickEvent` (topics.ts) is the click as the redirector recorded it. */

export interface EnrichedClick {
  readonly id: string;
  /** The account that owns the link. */
  readonly accountId: string;
  readonly slug: string;
  readonly at: number;
  readonly visitor: string;
  /** The visitor hash computed with the previous secret; absent if there is no previous secret. */
  readonly previousVisitor?: string | undefined;
  readonly country: string;
  /** A host name in lower case without `www.`, or `direct`. */
  readonly referrer: string;
  readonly device: Device;
  /** The name of a browser, or `Unknown`. */
  readonly browser: string;
  readonly isBot: boolean;
}

export const DEVICES = ['desktop', 'mobile', 'tablet'] as const;
export type Device = (typeof DEVICES)[number];

/** Clicks are stored for this many days: the 90 days of analytics and a margin. */
export const CLICK_RETENTION_DAYS = 100;

/** The secrets of the visitor hash, of 32 random bytes each. */
export interface VisitorSecret {
  readonly current: Uint8Array;
  /**
   * The secret before the last rotation. While older clicks are stored, new clicks carry the hash with this secret,
   * too. So a visitor before and after the rotation counts once.
   */
  readonly previous?: Uint8Array | undefined;
}
