/** Clicks as we store and count them; `ClickEvent` (topics.ts) is a click as the redirector captured it. */

/** A stored click. */
export interface EnrichedClick {
  readonly id: string;
  readonly slug: string;
  readonly at: number;
  readonly visitor: string;
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
