import { randomUUID } from 'node:crypto';
import { DomainError, type DomainErrorCode } from '@waypost/domain';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { ErrorRequestHandler, Response } from 'express';
import { discardBody } from './discard-body.ts';

export const STATUSES = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'service_unavailable',
} as const;
export type ErrorStatus = keyof typeof STATUSES;

/** Returns the body that docs/contract.md, Errors, defines. */
export function errorBody(status: ErrorStatus, message: string, details?: unknown, errorId?: string) {
  return {
    error: STATUSES[status],
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

export type ErrorExample = readonly [summary?: string, message?: string, details?: Readonly<Record<string, unknown>>];
export type ErrorRow = readonly [status: ErrorStatus, ...ErrorExample];

/** The status of each error, with an example for the OpenAPI document. */
export type Errors = Readonly<Record<DomainErrorCode, ErrorRow>>;
export type ErrorRows = Partial<Errors>;

export const platformErrors = {
  validation_failed: [400],
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
} satisfies ErrorRows;

function factsOf(
  error: unknown,
  errors: Errors,
): Pick<HttpError, 'status' | 'message'> & Partial<Pick<DomainError, 'details'>> {
  if (error instanceof DomainError)
    return { status: errors[error.code][0], message: error.message, details: error.details };
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

export function errorReporter(logger: Logger, errors: Errors): ReportError {
  return (error, { destroyed, locals }) => {
    const { status, message, details } = factsOf(error, errors);
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
