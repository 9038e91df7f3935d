import { randomUUID } from 'node:crypto';
import { DomainError, type DomainErrorCode } from '@waypost/domain';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { ErrorRequestHandler, Response } from 'express';
import { discardBody } from './discard-body.ts';

export const STATUSES = {
  400: [
    'bad_request',
    'The request is invalid: a field is missing or wrong, the JSON is malformed, or the state of the link does not allow it.',
  ],
  401: [
    'unauthorized',
    'The API key is missing, wrong, expired or deleted. The response has the header `WWW-Authenticate: Bearer`.',
  ],
  403: ['forbidden', 'The API key lacks the required scope, or its account is suspended.'],
  404: ['not_found', 'The path or the resource does not exist, or the resource belongs to another account.'],
  405: [
    'method_not_allowed',
    'The path does not support the method. The header `Allow` lists the methods that it supports.',
  ],
  409: [
    'conflict',
    'The slug is taken, the `Idempotency-Key` was used with a different body, or the first request with it is still running (then with `Retry-After`).',
  ],
  413: ['payload_too_large', 'The request body is larger than 2 MiB.'],
  415: ['unsupported_media_type', 'The request body is not sent as `application/json`.'],
  429: [
    'rate_limited',
    'The quota or the number of attempts is exhausted, or your IP address sent too many requests without a valid API key or session. Retry after `Retry-After` seconds.',
  ],
  500: ['internal_error', 'An unexpected error on the server.'],
  503: [
    'service_unavailable',
    'A dependency is unavailable, or the server is handling too many requests. Retry after `Retry-After` seconds.',
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
  link_not_flagged: [400, 'Not flagged', 'The link "aB3dE6g" is active. Only a flagged link can be reviewed.'],
  batch_exceeds_window: [
    400,
    'More links than the hourly limit',
    '400 links exceed the limit of 300 creations per hour.',
    { links: 'must have at most 300 entries, the limit of creations per hour' },
  ],
  link_not_found: [404, 'Link not found', 'There is no link with the slug "aB3dE6g".'],
  account_not_found: [404, 'Account not found', 'There is no account with the e-mail address ada@example.org.'],
  case_not_found: [404, 'Case not found', 'There is no case with the number k7Qm2Rx-aB3dE6g.'],
  case_decided: [400, 'Already decided', 'The case k7Qm2Rx-aB3dE6g is already decided.'],
  key_not_found: [
    404,
    'API key not found',
    'There is no active API key with the ID b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44.',
  ],
  webhook_not_found: [404, 'Webhook not found', 'Your account has no webhook with this ID.'],
  webhook_disabled: [400, 'Webhook disabled', 'This webhook is disabled. Enable it first.'],
  too_many_webhooks: [409, 'Too many webhooks', 'An account may have up to 10 webhooks. Delete one first.'],
  delivery_not_found: [404, 'Delivery not found', 'This webhook has no delivery with this ID.'],
  delivery_pending: [
    400,
    'Delivery pending',
    'This delivery is still pending. Only a completed delivery can be replayed.',
  ],
  slug_taken: [409, 'Slug taken', 'The slug "spring-menu" is taken.', { taken_slugs: ['spring-menu'] }],
  idempotency_key_reused: [
    409,
    'Idempotency key reused',
    'This Idempotency-Key was already used with a different body.',
    { 'Idempotency-Key': 'was used with a different body within the last 24 hours' },
  ],
  idempotency_key_in_use: [
    409,
    'First request still running (with `Retry-After`)',
    'The first request with this Idempotency-Key is still running.',
  ],
  account_exists: [409, 'Account exists', 'An account with the e-mail address ada@example.org already exists.'],
  too_many_keys: [409, 'Too many API keys', 'An account may have up to 20 active API keys. Delete one first.'],
  credential_not_found: [
    404,
    'Credential not found',
    'The account has no credential or webhook with one of the IDs in `remove`. Nothing was changed.',
    { 'remove[0]': 'is not a passkey, identity, API key or webhook of this account' },
  ],
  credentials_wrong: [401, 'Wrong credentials', 'The e-mail address or the password is wrong.'],
  first_run_over: [
    404,
    'Setup link expired',
    'This setup link has expired. Sign in, or restart Waypost to get a new one.',
  ],
  too_many_passkeys: [409, 'Too many passkeys', 'An account may have up to 10 passkeys. Delete one first.'],
  passkey_exists: [409, 'Passkey exists', 'This passkey already exists.'],
  passkey_not_found: [
    404,
    'Passkey not found',
    'Your account has no passkey with the ID b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44.',
  ],
  identity_refused: [403, 'No provider', 'No OpenID Connect provider is configured.'],
  identity_not_found: [404, 'Identity not found', 'Your account has no identity with the ID b7a5f3a0-….'],
  session_not_found: [404, 'Session not found', 'Your account has no session with this ID.'],
  device_not_found: [404, 'Device not found', 'Your account has no other device with this ID.'],
  administrator_needed: [
    403,
    'Not an administrator',
    'Only administrators may have webhooks with the scope "installation".',
  ],
  proof_needed: [
    403,
    'Identity not confirmed (sessions only)',
    'Confirm your identity first: your sign-in was more than 15 minutes ago.',
    { proof: 'is required' },
  ],
  too_many_attempts: [
    429,
    'Too many attempts',
    'Too many attempts. Try again later, or ask an operator for a sign-in link.',
  ],
  quota_exceeded: [
    429,
    'Quota exceeded',
    'This request needs 1 creation, but 0 of 300 are left in this hour. Nothing was created.',
  ],
  unavailable: [503, 'Database unavailable', 'The database is unavailable. Try again later.'],
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

export const NOTHING_HERE = 'There is nothing at this path.';
export const UNEXPECTED = 'An unexpected error occurred on the server.';

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
