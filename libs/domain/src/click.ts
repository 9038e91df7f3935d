/** Clicks as they are kept and counted; `ClickEvent` (topics.ts) is one as it was captured. */

/** A click as it is stored and counted. */
export interface EnrichedClick {
  readonly id: string;
  readonly slug: string;
  readonly at: number;
  readonly visitor: string;
  readonly country: string;
  /** Host name in lower case without `www.`, or `direct`. */
  readonly referrer: string;
  readonly device: Device;
  /** Browser by name, `Unknown` when it cannot be told. */
  readonly browser: string;
  readonly isBot: boolean;
}

export const DEVICES = ['desktop', 'mobile', 'tablet'] as const;
export type Device = (typeof DEVICES)[number];

/** Clicks are kept this long: 90 days of analytics and a margin. */
export const CLICK_RETENTION_DAYS = 100;
