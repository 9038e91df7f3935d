import { isApiKey, permits, type Scope } from '@waypost/domain';
import type { ApiKeys, Caller, Sessions } from '@waypost/ports';
import type { Request, RequestHandler, Response } from 'express';
import { hashSecret } from '../use-cases/hash-secret.ts';
import { HttpError } from './errors.ts';
import { requireSameOrigin } from './same-origin.ts';
import { sessionToken } from './session-cookie.ts';

export const NO_VALID_KEY = 'This API key is not valid.';

interface SessionDeps {
  readonly sessions: Pick<Sessions, 'authenticate'>;
  readonly baseUrl: string;
  readonly now: () => Date;
}

/**
 * Authentication, rules 1 and 2. Looks the key up for each request, so that a deletion takes effect on the next one. With
 * `bySession` a request without a key may carry a session of the dashboard.
 */
export function authenticate(keys: Pick<ApiKeys, 'authenticate'>, bySession?: SessionDeps): RequestHandler {
  async function sessionOf(request: Request, token: string, { sessions, baseUrl, now }: SessionDeps) {
    // A browser sends the cookie whichever page asks.
    if (!['GET', 'HEAD'].includes(request.method)) requireSameOrigin(request, baseUrl);
    return sessions.authenticate(hashSecret(token), now());
  }

  return async (request, response, next) => {
    const { authorization } = request.headers;
    const token = bySession && authorization === undefined ? sessionToken(request, bySession.baseUrl) : undefined;
    const key = bearerOf(authorization ?? '');
    const caller =
      bySession !== undefined && token !== undefined
        ? await sessionOf(request, token, bySession)
        : key !== undefined && isApiKey(key)
          ? await keys.authenticate(hashSecret(key))
          : undefined;
    if (caller === undefined) {
      response.setHeader('WWW-Authenticate', 'Bearer');
      if (token !== undefined) throw new HttpError(401, 'The session has ended: sign in again.');
      const given = authorization !== undefined;
      throw new HttpError(401, given ? NO_VALID_KEY : 'Send an API key: Authorization: Bearer <API_KEY>.');
    }
    response.locals.caller = caller;
    next();
  };
}

/** For a caller that is known, so that this refusal, too, has the quota headers of a creation. */
export const notSuspended: RequestHandler = (_request, response, next) => {
  const { suspension } = callerOf(response);
  if (suspension !== undefined) {
    throw new HttpError(403, suspendedWords(suspension.reason), { account: 'is suspended' });
  }
  next();
};

/** A key has 52 characters. */
const HEADER_MAX = 200;

/** Accepts the scheme in upper and lower case. Anything not in this form cannot be a key. */
export function bearerOf(header: string): string | undefined {
  if (header.length > HEADER_MAX || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return header.slice(7).trim();
}

/** Authentication, rule 3. What is for administrators needs one: the scope alone does not make one. */
export function hasScope({ scopes, admin }: Caller, scope: Scope): boolean {
  return permits(scopes, scope) && (scope !== 'admin' || admin);
}

export const SESSION_IS_NEEDED = 'This is done in the dashboard: a session is needed, a key does not do.';
export const SESSION_OR_ADMIN_IS_NEEDED =
  'This needs a session of the dashboard, or an API key with the scope "admin".';

export function scopeIsMissing(scope: Scope): string {
  return `This needs an API key with the scope "${scope}"${scope === 'admin' ? ' of an administrator' : ''}.`;
}

export function suspendedWords(reason: string | null): string {
  return `This account is suspended${reason === null ? '.' : `: ${reason}`}`;
}

export function callerOf(response: Response): Caller {
  return response.locals.caller as Caller;
}
