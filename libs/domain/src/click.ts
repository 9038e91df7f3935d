/** Clicks as we store and count them; `ClickEvent` (topics.ts) is a click as the redirector captured it. */

/** A stored click. */
export interface EnrichedClick {
  readonly id: string;
  readonly slug: string;
  readonly at: number;
  readonly visitor: string;
  /** By the previous key, while there is one. */
  readonly previousVisitor?: string | undefined;
  readonly country: string;
  /** Host name in lower case without `www.`, or `direct`. */
  readonly referrer: string;
  readonly device: Device;
  /** Name of the browser, or `Unknown`. */
  readonly browser: string;
  readonly isBot: boolean;
}

export const DEVICES = ['desktop', 'mobile', 'tablet'] as const;
export type Device = (typeof DEVICES)[number];

/** How long clicks are stored: 90 days of analytics and a margin. */
export const CLICK_RETENTION_DAYS = 100;

/** The keys of the visitor hash: 32 random bytes. */
export interface VisitorSecret {
  readonly current: Uint8Array;
  /**
   * That of before the last rotation. Clicks carry its hash, too, for as long as clicks from before are stored: by it, a
   * visitor of both sides counts once.
   */
  readonly previous?: Uint8Array | undefined;
}
