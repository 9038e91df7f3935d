/** `error` of an answer, or why there was none: it did not come, it came from something else, it sends elsewhere. */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'internal_error'
  | 'service_unavailable'
  | 'no_answer'
  | 'not_waypost'
  | 'redirected'
  // Later codes are no reason for a new type.
  | (string & {});

/** What an account may create in the current hour. */
export interface Quota {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** When the hour ends. */
  readonly resetAt: Date;
}

interface Facts {
  readonly code: ErrorCode;
  readonly status?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly retryAfter?: number | undefined;
  readonly errorId?: string | undefined;
  readonly quota?: Quota | undefined;
  readonly outcomeUnknown?: boolean;
  readonly cause?: unknown;
}

/** What every method of the client rejects with, but for an abort, which rejects with the reason of its signal. */
export class WaypostError extends Error {
  override readonly name = 'WaypostError';
  readonly code: ErrorCode;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** Field to description; `links[3].destination_url` inside a bulk; `taken_slugs`. */
  readonly details: Readonly<Record<string, unknown>>;
  /** In seconds. */
  readonly retryAfter: number | undefined;
  /** The same number is in the log of the server. */
  readonly errorId: string | undefined;
  /** On errors of creations. */
  readonly quota: Quota | undefined;
  /** The request, or an earlier try of it, may have taken effect all the same. */
  readonly outcomeUnknown: boolean;
  /** How often it was tried. */
  readonly tries: number;

  constructor(message: string, facts: Facts, tries = 1) {
    super(message, { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? 0;
    this.details = facts.details ?? {};
    this.retryAfter = facts.retryAfter;
    this.errorId = facts.errorId;
    this.quota = facts.quota;
    this.outcomeUnknown = facts.outcomeUnknown ?? false;
    this.tries = tries;
  }
}
