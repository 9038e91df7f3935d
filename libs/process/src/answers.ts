import { DomainError } from '@waypost/domain';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { ErrorRequestHandler, Response } from 'express';

export function answerError(response: Response, status: number, error: string, message: string): void {
  response.status(status).json({ error, message, status });
}

/** `failed` says what failed. It is the message in the log and in the answer; the error itself is only in the log. */
export function errorHandler(logger: Pick<Logger, 'error'>, failed: string): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof DomainError && error.code === 'unavailable') {
      response.set('Retry-After', String(error.retryAfterSeconds ?? 5));
      return answerError(response, 503, 'service_unavailable', error.message);
    }
    const status = (error as { status?: unknown }).status;
    if (status === 413) return answerError(response, 413, 'payload_too_large', 'The request body is too large.');
    // This is an error of body-parser: broken JSON, an unknown charset or encoding, or an incomplete body.
    if (typeof status === 'number' && status >= 400 && status < 500) {
      return answerError(response, 400, 'bad_request', 'The request body is not valid JSON.');
    }
    logger.error(failed, errorFields(error));
    answerError(response, 500, 'internal_error', `The ${failed}.`);
  };
}
