/** The value of `error` in the response. `no_answer`, `not_waypost` and `redirected`: there was no usable one. */
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
  // A later version of the API may have more codes.
  | (string & {});

/** How many links the account may create in the current hour, and how many of them are left. */
export interface Quota {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

type Facts = Pick<WaypostError, 'code' | 'cause'> & Partial<Omit<WaypostError, keyof Error | 'code' | 'tries'>>;

/** Every method of the client rejects with this error, or after an abort with the reason of the signal. */
export class WaypostError extends Error {
  override readonly name = 'WaypostError';
  readonly code: ErrorCode;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** The keys are field names, in a bulk request like `links[3].destination_url`. `taken_slugs` is a list of slugs. */
  readonly details: Readonly<Record<string, unknown>>;
  /** In seconds. */
  readonly retryAfter: number | undefined;
  /** The log of the server contains the same id. */
  readonly errorId: string | undefined;
  /** `X-Request-Id` of the response: each log line about the request has it. Undefined if there was no response. */
  readonly requestId: string | undefined;
  /** Present if the request was to create links. */
  readonly quota: Quota | undefined;
  /** True if the request, or an earlier attempt, may have taken effect in spite of the error. */
  readonly outcomeUnknown: boolean;
  readonly tries: number;

  constructor(message: string, facts: Facts, tries = 1) {
    super(message, { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? 0;
    this.details = facts.details ?? {};
    this.retryAfter = facts.retryAfter;
    this.errorId = facts.errorId;
    this.requestId = facts.requestId;
    this.quota = facts.quota;
    this.outcomeUnknown = facts.outcomeUnknown ?? false;
    this.tries = tries;
  }
}
