import { type DomainError, unavailable } from '@waypost/domain';
import type { RequestHandler, Response } from 'express';
import type { AnswerError } from './errors.ts';

/** An API client is answered within 5 s, whatever hangs. */
export const ANSWER_WITHIN_MS = 4_500;

/** One for all: each answer ends in it, and an error of its own would take its stack. */
const NOBODY_WAITS = new DOMException('Nobody waits for the answer any more.', 'AbortError');

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
      gone.abort(NOBODY_WAITS);
    }, withinMs);
    response.once('close', () => {
      clearTimeout(late);
      gone.abort(NOBODY_WAITS);
    });
    next();
  };
}

/** Aborts once nobody waits for the answer: it was sent, or the caller disconnected. */
export function goneSignal(response: Response): AbortSignal {
  return response.locals.gone as AbortSignal;
}
