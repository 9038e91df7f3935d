import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';

/** Uses the caller's request id only if it is safe in a header and in a log line. */
export const identify: RequestHandler = (request, response, next) => {
  const id = requestId(request.get('X-Request-Id'));
  response.locals.requestId = id;
  response.setHeader('X-Request-Id', id);
  next();
};

export function requestId(header: string | undefined): string {
  return header !== undefined && /^[\w.-]{1,64}$/.test(header) ? header : randomUUID();
}
