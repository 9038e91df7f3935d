/** A click: a GET that was answered with a redirect. */

/** As the redirector captured it. The visitor's address is not in it: only its keyed hash and its country are. */
export interface Click {
  /** UUIDv7, made once in the redirector: the identity that makes retries and replays harmless. */
  readonly id: string;
  readonly slug: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** First 64 bits of HMAC-SHA-256(secret, slug + client address), 16 lower-case hex digits. */
  readonly visitor: string;
  /** ISO 3166-1 alpha-2, `ZZ` when unknown. */
  readonly country: string;
  /** The User-Agent header, at most 512 characters; hostile text. */
  readonly userAgent: string;
  /** The Referer header without query and fragment, at most 512 characters; hostile text. */
  readonly referrer: string;
}

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
