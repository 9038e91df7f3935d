import { randomUUID } from 'node:crypto';
import { DomainError, type DomainErrorCode } from '@waypost/domain';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { ErrorRequestHandler, Response } from 'express';
import { discardBody } from './discard-body.ts';

export const STATUSES = {
  400: ['bad_request', 'A field is missing or wrong, the JSON is malformed, or the state of the link forbids it.'],
  401: ['unauthorized', 'The API key is missing, wrong, expired or deleted. Carries `WWW-Authenticate: Bearer`.'],
  403: ['forbidden', 'The key lacks the scope, or its account is suspended.'],
  404: ['not_found', 'No such address, or no such link of yours: a link of another account looks the same.'],
  405: ['method_not_allowed', 'The address answers other methods; `Allow` names them.'],
  409: [
    'conflict',
    'The slug is taken, or the `Idempotency-Key` was used with another body, or its first request still runs (then with `Retry-After`).',
  ],
  413: ['payload_too_large', 'The body is over 2 MiB.'],
  415: ['unsupported_media_type', 'The body is not `application/json`.'],
  429: [
    'rate_limited',
    'The quota or the attempts are used up, or an address without a valid key or session sends too much. Wait for `Retry-After`.',
  ],
  500: ['internal_error', 'Something unexpected on our side.'],
  503: [
    'service_unavailable',
    'Something we depend on is away for the moment, or too many requests are under way. Wait for `Retry-After`.',
  ],
} as const;
export type ErrorStatus = keyof typeof STATUSES;

/** Returns the body that docs/contract.md, Errors, defines. */
export function errorBody(status: ErrorStatus, message: string, details?: unknown, errorId?: string) {
  return {
    error: STATUSES[status][0],
    message,
    status,
    ...(errorId === undefined ? {} : { error_id: errorId }),
    ...(details === undefined ? {} : { details }),
  };
}

/** An error of HTTP itself. Errors of the domain are `DomainError`s. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: ErrorStatus;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(status: ErrorStatus, message: string, details?: Record<string, unknown>) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

type ErrorRow = readonly [
  status: ErrorStatus,
  summary?: string,
  message?: string,
  details?: Readonly<Record<string, unknown>>,
];

/** The status of each error, with an example for the OpenAPI document. */
export const ERRORS: Record<DomainErrorCode, ErrorRow> = {
  validation_failed: [400],
  link_already_revoked: [400, 'Already revoked', 'The link "aB3dE6g" is already revoked.'],
  link_flagged: [400, 'Flagged', 'The link "k7Qm2Rx" is flagged; it does not redirect and cannot be revoked.'],
  link_not_flagged: [400, 'Not flagged', 'The link "aB3dE6g" is active, not flagged: there is nothing to review.'],
  batch_exceeds_window: [
    400,
    'Too many for one hour',
    '400 links are more than one hour allows (300).',
    { links: '400 links are more than the 300 of one hour: split the list' },
  ],
  link_not_found: [404, 'No such link', 'There is no link with the slug "aB3dE6g" among yours.'],
  account_not_found: [404, 'No such account', 'There is no account with the e-mail address ada@example.org.'],
  case_not_found: [404, 'No such case', 'There is no case with the number k7Qm2Rx-aB3dE6g.'],
  case_decided: [400, 'Decided', 'The case k7Qm2Rx-aB3dE6g is decided already.'],
  key_not_found: [404, 'No such key', 'There is no active key with the id b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44.'],
  webhook_not_found: [404, 'No such webhook', 'There is no such webhook of yours.'],
  webhook_disabled: [400, 'Switched off', 'This webhook is switched off: enable it first.'],
  too_many_webhooks: [409, 'Full', 'Delete one of your 10 webhooks first.'],
  delivery_not_found: [404, 'No such delivery', 'There is no such delivery of this webhook.'],
  delivery_pending: [400, 'Pending', 'This delivery is pending: it is sent as it is.'],
  slug_taken: [409, 'The slug is taken', 'The slug "spring-menu" is taken.', { taken_slugs: ['spring-menu'] }],
  idempotency_key_reused: [
    409,
    'The key was used with another body',
    'This Idempotency-Key was used with another body.',
    { 'Idempotency-Key': 'was used with another body within the last 24 hours' },
  ],
  idempotency_key_in_use: [
    409,
    'The first request still runs (with `Retry-After`)',
    'The first request with this Idempotency-Key still runs.',
  ],
  account_exists: [409, 'There is one', 'There is an account with the e-mail address ada@example.org already.'],
  too_many_keys: [409, 'Full', 'Delete one of your 20 keys first.'],
  credential_not_found: [
    404,
    'Of another account',
    'The account has no such passkey, identity, key or webhook. Nothing was done.',
    { 'remove[0]': 'is no passkey, identity, key or webhook of this account' },
  ],
  credentials_wrong: [401],
  first_run_over: [404],
  too_many_passkeys: [409, 'Full', 'Remove one of your 10 passkeys first.'],
  passkey_exists: [409, 'Known', 'This passkey is registered already.'],
  passkey_not_found: [
    404,
    'No such passkey',
    'There is no passkey with the id b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44 among yours.',
  ],
  identity_refused: [403],
  identity_not_found: [404, 'No such identity', 'There is no identity with the id b7a5f3a0-… among yours.'],
  session_not_found: [404, 'No such session', 'There is no such session of this account.'],
  device_not_found: [404, 'No such device', 'There is no such other device of this account.'],
  administrator_needed: [403, 'For administrators', 'A webhook of the installation needs an administrator.'],
  proof_needed: [
    403,
    'Not proven (a session alone)',
    'Prove first that it is you: your sign-in was more than 15 minutes ago.',
    { proof: 'is needed' },
  ],
  too_many_attempts: [429, 'Too many', 'Too many attempts. Wait, or ask an operator for a sign-in link.'],
  quota_exceeded: [429, 'Used up', 'This needs 1 creation, and 0 of 300 are left this hour. Nothing was created.'],
  unavailable: [503, 'The database is away', 'The database cannot be reached right now.'],
};

interface ErrorFacts {
  readonly status: ErrorStatus;
  readonly message: string;
  readonly details?: unknown;
}

function factsOf(error: unknown): ErrorFacts {
  if (error instanceof DomainError)
    return { status: ERRORS[error.code][0], message: error.message, details: error.details };
  if (error instanceof HttpError) return error;
  // The router throws this if the path is not percent-encoded UTF-8.
  if (error instanceof URIError) return { status: 404, message: NOTHING_HERE };
  return { status: 500, message: UNEXPECTED };
}

export const NOTHING_HERE = 'There is nothing at this address.';
export const UNEXPECTED = 'Something unexpected went wrong on our side.';

/** What the caller gets: the JSON object of docs/contract.md, Errors, and the seconds until a retry. */
export interface ErrorReport {
  readonly body: ReturnType<typeof errorBody>;
  readonly retryAfter: number | undefined;
}

/** For a status from 500, logs the error with its `error_id`, unless the caller has disconnected. */
export type ReportError = (error: unknown, response: Response) => ErrorReport;

export function errorReporter(logger: Logger): ReportError {
  return (error, { destroyed, locals }) => {
    const { status, message, details } = factsOf(error);
    const errorId = status >= 500 && !destroyed ? randomUUID() : undefined;
    if (errorId !== undefined) {
      locals.errorId = errorId;
      logger.error('request failed', {
        error_id: errorId,
        status,
        request_id: locals.requestId,
        ...errorFields(error),
      });
    }
    const retryAfter = error instanceof DomainError ? error.retryAfterSeconds : undefined;
    return { body: errorBody(status, message, details, errorId), retryAfter };
  };
}

export type AnswerError = (error: unknown, response: Response) => void;

export function errorAnswer(report: ReportError): AnswerError {
  return (error, response) => {
    // The handler took too long, so an answer was already sent or begun.
    if (response.headersSent || response.destroyed) return;
    const { body, retryAfter } = report(error, response);
    if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
    response.status(body.status).json(body);
  };
}

export function errorHandler(answer: AnswerError): ErrorRequestHandler {
  return (error, request, response, next) => {
    // Part of the answer is already sent, so Express must close the connection.
    if (response.headersSent && !response.writableEnded) return next(error);
    discardBody(request, response);
    answer(error, response);
  };
}
