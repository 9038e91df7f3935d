import type { IncomingMessage } from 'node:http';
import type { Scope } from '@waypost/domain';
import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../caller.ts';
import { HttpError } from './errors.ts';
import { placeOf } from './place-of.ts';

/** Tells who sends a request. */
export interface Authentication {
  /** Returns what tells this credential from others, before any check. Undefined without a credential. */
  credentialOf(request: IncomingMessage): string | undefined;
  /** Throws 401. If `bySession` is true, a session will do. */
  authenticate(request: Request, bySession: boolean): Promise<Caller>;
}

export function identifyCaller({ authenticate }: Authentication, bySession: boolean): RequestHandler {
  return async (request, response, next) => {
    try {
      const caller = await authenticate(request, bySession);
      placeOf(response).verified(caller.accountId);
      response.locals.caller = caller;
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) {
        placeOf(response).refused();
        response.setHeader('WWW-Authenticate', 'Bearer');
      }
      throw error;
    }
    next();
  };
}

export function callerOf(response: Response): Caller {
  return response.locals.caller as Caller;
}

/** This runs after authentication, so that the refusal of a creation also has the quota headers. */
export const notSuspended: RequestHandler = (_request, response, next) => {
  const { suspension } = callerOf(response);
  if (suspension !== undefined) {
    throw new HttpError(403, suspendedWords(suspension.reason), { account: 'is suspended' });
  }
  next();
};

export const NO_VALID_KEY = 'This API key is not valid.';
export const SESSION_IS_NEEDED = 'This requires a dashboard session; API keys are not accepted.';
export const SESSION_OR_ADMIN_IS_NEEDED = 'This requires a dashboard session or an API key with the scope "admin".';

export function scopeIsMissing(scopes: readonly Scope[]): string {
  const names = scopes.map((scope) => `"${scope}"`).join(' and ');
  const administrator = scopes.includes('admin') ? ' of an administrator' : '';
  return `This requires an API key with the ${scopes.length === 1 ? 'scope' : 'scopes'} ${names}${administrator}.`;
}

export function suspendedWords(reason: string | null): string {
  return `This account is suspended${reason === null ? '.' : `: ${reason}`}`;
}
