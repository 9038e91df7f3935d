import { type Quota, quotaAt } from '@waypost/domain';
import type { RequestHandler, Response } from 'express';
import type { Caller } from '../caller.ts';
import { callerOf } from './authentication.ts';

/** Sets the quota headers on every answer to an authenticated creation, including errors. */
export function quotaHeaders(now: () => Date): RequestHandler {
  return (_request, response, next) => {
    setQuotaHeaders(response, quotaOf(callerOf(response), now()));
    next();
  };
}

export function quotaOf({ creations: { limit, window } }: Caller, now: Date): Quota {
  return quotaAt(limit, window, now);
}

export function setQuotaHeaders(response: Response, { limit, used, resetAt }: Quota): void {
  response.setHeader('X-RateLimit-Limit', limit);
  response.setHeader('X-RateLimit-Used', used);
  response.setHeader('X-RateLimit-Remaining', Math.max(0, limit - used));
  response.setHeader('X-RateLimit-Reset', Math.ceil(resetAt.getTime() / 1000));
}
