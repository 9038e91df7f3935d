import { type DomainError, unavailable } from '@waypost/domain';
import type { RequestHandler, Response } from 'express';
import type { AnswerError } from './errors.ts';

/** An API client is answered within 5 s, whatever hangs. */
export const ANSWER_WITHIN_MS = 4_500;

export function tookTooLong(method: string): DomainError {
  const change =
    method === 'GET' || method === 'HEAD'
      ? ''
      : ' The change may still take effect; a retry with the same Idempotency-Key is safe.';
  return unavailable(`The answer took too long.${change}`);
}

/**
 * Sends the 503 itself instead of calling `next`: otherwise a later error of the handler would bypass the error
 * handler, and Express would cut the connection, which may already serve another request.
 */
export function answerInTime(answerError: AnswerError, withinMs = ANSWER_WITHIN_MS): RequestHandler {
  return (request, response, next) => {
    const gone = new AbortController();
    response.locals.gone = gone.signal;
    const late = setTimeout(() => {
      answerError(tookTooLong(request.method), response);
      gone.abort();
    }, withinMs);
    response.once('close', () => {
      clearTimeout(late);
      gone.abort();
    });
    next();
  };
}

/** Aborts once nobody waits for the answer: it was sent, or the caller disconnected. */
export function goneSignal(response: Response): AbortSignal {
  return response.locals.gone as AbortSignal;
}
