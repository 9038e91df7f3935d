import { unavailable } from '@waypost/domain';
import type { RequestHandler, Response } from 'express';

/** An API client is answered within 5 s, whatever hangs. */
const ANSWER_WITHIN_MS = 4_500;

export const answerInTime: RequestHandler = (request, response, next) => {
  const gone = new AbortController();
  response.locals.gone = gone.signal;
  const late = setTimeout(() => {
    const change =
      request.method === 'GET' || request.method === 'HEAD'
        ? ''
        : ' The change may still take effect; a retry with the same Idempotency-Key is safe.';
    next(unavailable(`The answer took too long.${change}`));
    gone.abort();
  }, ANSWER_WITHIN_MS);
  response.once('close', () => {
    clearTimeout(late);
    gone.abort();
  });
  next();
};

/** Says that nobody waits for the answer any more: it was given, or the caller has gone. */
export function goneSignal(response: Response): AbortSignal {
  return response.locals.gone as AbortSignal;
}
