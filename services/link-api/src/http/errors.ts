import { randomUUID } from 'node:crypto';
import { DomainError, type DomainErrorCode } from '@waypost/domain';
import { errorFields, type Logger } from '@waypost/service-kit';
import type { ErrorRequestHandler, Response } from 'express';

/** An answer that is about HTTP itself; everything about the domain is a `DomainError`. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly code: string;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(status: number, code: string, message: string, details?: Record<string, unknown>) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** The one table of errors. A new `DomainErrorCode` does not compile until it has a row. */
const HTTP: Record<DomainErrorCode, readonly [status: number, error: string]> = {
  validation_failed: [400, 'bad_request'],
  link_already_revoked: [400, 'bad_request'],
  link_flagged: [400, 'bad_request'],
  link_not_flagged: [400, 'bad_request'],
  batch_exceeds_window: [400, 'bad_request'],
  link_not_found: [404, 'not_found'],
  account_not_found: [404, 'not_found'],
  key_not_found: [404, 'not_found'],
  slug_taken: [409, 'conflict'],
  idempotency_key_reused: [409, 'conflict'],
  idempotency_key_in_use: [409, 'conflict'],
  account_exists: [409, 'conflict'],
  too_many_keys: [409, 'conflict'],
  quota_exceeded: [429, 'rate_limited'],
  unavailable: [503, 'service_unavailable'],
};

export function methodNotAllowed(response: Response, allow: string): never {
  response.setHeader('Allow', allow);
  throw new HttpError(405, 'method_not_allowed', `This address answers ${allow} only.`);
}

function known(
  error: unknown,
): { status: number; code: string; message: string; details?: unknown; retryAfter?: number } | undefined {
  if (error instanceof DomainError) {
    const [status, code] = HTTP[error.code];
    return {
      status,
      code,
      message: error.message,
      ...(error.details === undefined ? {} : { details: error.details }),
      ...(error.retryAfterSeconds === undefined ? {} : { retryAfter: error.retryAfterSeconds }),
    };
  }
  if (error instanceof HttpError) {
    const { status, code, message, details } = error;
    return { status, code, message, ...(details === undefined ? {} : { details }) };
  }
  // The router's, of a path that is not percent-encoded UTF-8.
  if (error instanceof URIError)
    return { status: 404, code: 'not_found', message: 'There is nothing at this address.' };
  return undefined;
}

export type AnswerError = (error: unknown, response: Response) => void;

/** Every error is the JSON object of docs/contract.md, Errors; from 500 on its `error_id` is also in the log. */
export function errorAnswer(logger: Logger): AnswerError {
  return (error, response) => {
    // The answer went out already (it had taken too long), or the caller has gone: it concerns nobody.
    if (response.writableEnded || response.destroyed) return;
    const { status, code, message, details, retryAfter } = known(error) ?? {
      status: 500,
      code: 'internal_error',
      message: 'Something unexpected went wrong on our side.',
    };
    const errorId = status >= 500 ? randomUUID() : undefined;
    if (errorId !== undefined) {
      response.locals.errorId = errorId;
      logger.error('request failed', {
        error_id: errorId,
        status,
        request_id: response.locals.requestId,
        ...errorFields(error),
      });
    }
    if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
    response.status(status).json({
      error: code,
      message,
      status,
      ...(errorId === undefined ? {} : { error_id: errorId }),
      ...(details === undefined ? {} : { details }),
    });
  };
}

export function errorHandler(answer: AnswerError): ErrorRequestHandler {
  return (error, _request, response, next) => {
    // Half an answer cannot be taken back: Express cuts the connection.
    if (response.headersSent && !response.writableEnded) return next(error);
    answer(error, response);
  };
}
