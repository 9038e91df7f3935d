import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

/** Accepts a caller's own id if it is harmless in a header and a log line. */
export const identify: RequestHandler = (request, response, next) => {
  const id = requestId(request.get('X-Request-Id'));
  response.locals.requestId = id;
  response.setHeader('X-Request-Id', id);
  next();
};

export function requestId(given: string | undefined): string {
  return given !== undefined && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
