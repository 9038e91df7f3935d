import { type DomainError, unavailable } from '@waypost/domain';
import type { RequestHandler, Response } from 'express';
import type { AnswerError } from './errors.ts';

/** The API promises an answer within 5 s, so this leaves time to send it. */
export const ANSWER_WITHIN_MS = 4_500;

/** All requests share this error, because a new one for each would cost a stack trace. */
const NOBODY_WAITS = new DOMException('The client no longer waits for the response.', 'AbortError');

export function tookTooLong(method: string): DomainError {
  const change =
    method === 'GET' || method === 'HEAD'
      ? ''
      : ' The change may still take effect. A retry with the same Idempotency-Key is safe.';
  return unavailable(`The server did not respond in time.${change}`);
}

/**
 * Sends the 503 itself instead of calling `next`. After `next`, a later error of the handler would bypass the error
 * handler, and Express would close the connection. Another request may already use that connection.
 */
export function answerInTime(answerError: AnswerError, withinMs = ANSWER_WITHIN_MS): RequestHandler {
  return (request, response, next) => {
    const controller = new AbortController();
    response.locals.signal = controller.signal;
    const { waitedMs = 0 } = response.locals as { readonly waitedMs?: number };
    const late = setTimeout(() => {
      answerError(tookTooLong(request.method), response);
      controller.abort(NOBODY_WAITS);
    }, withinMs - waitedMs);
    response.once('close', () => {
      clearTimeout(late);
      controller.abort(NOBODY_WAITS);
    });
    next();
  };
}

export function requestSignal(response: Response): AbortSignal {
  return response.locals.signal as AbortSignal;
}
