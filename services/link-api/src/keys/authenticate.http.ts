import type { IncomingMessage } from 'node:http';
import { isApiKey, type Scope } from '@waypost/domain';
import type { Request, RequestHandler, Response } from 'express';
import { sessionToken } from '../accounts/index.ts';
import type { LinkApiDeps } from '../deps.ts';
import type { Caller } from '../platform/caller.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { HttpError } from '../platform/http/errors.ts';
import { placeOf } from '../platform/http/place-of.ts';
import { requireSameOrigin } from '../platform/http/same-origin.ts';
import type { ApiKeys } from './keys.port.ts';

export const NO_VALID_KEY = 'This API key is not valid.';

type SessionDeps = Pick<LinkApiDeps, 'sessions' | 'baseUrl' | 'now'>;

/** Reads the key from the store on each request, so a deleted key fails at once. `bySession`: a session will do. */
export function authenticate(keys: Pick<ApiKeys, 'authenticate'>, bySession?: SessionDeps): RequestHandler {
  async function sessionOf(request: Request, token: string, { sessions, baseUrl, now }: SessionDeps) {
    // A browser sends the cookie even if the request comes from a page of another site.
    if (!['GET', 'HEAD'].includes(request.method)) requireSameOrigin(request, baseUrl);
    return sessions.authenticate(hashSecret(token), now());
  }

  return async (request, response, next) => {
    const { authorization } = request.headers;
    const token =
      bySession && authorization === undefined ? sessionToken(request.headers.cookie, bySession.baseUrl) : undefined;
    const key = bearerOf(authorization ?? '');
    const caller =
      bySession !== undefined && token !== undefined
        ? await sessionOf(request, token, bySession)
        : key !== undefined && isApiKey(key)
          ? await keys.authenticate(hashSecret(key))
          : undefined;
    if (caller === undefined) {
      placeOf(response).refused();
      response.setHeader('WWW-Authenticate', 'Bearer');
      if (token !== undefined) throw new HttpError(401, 'The session has ended: sign in again.');
      const hasKey = authorization !== undefined;
      throw new HttpError(401, hasKey ? NO_VALID_KEY : 'Send an API key: Authorization: Bearer <API_KEY>.');
    }
    placeOf(response).verified(caller.accountId);
    response.locals.caller = caller;
    next();
  };
}

/** Returns the hash of the key or else of the session's token, before any check. */
export function credentialOf({ headers }: IncomingMessage, baseUrl: string): string | undefined {
  const { authorization, cookie } = headers;
  const secret = authorization === undefined ? sessionToken(cookie, baseUrl) : bearerOf(authorization);
  return secret && hashSecret(secret).toString('latin1');
}

/** This runs after authentication, so that the refusal of a creation also has the quota headers. */
export const notSuspended: RequestHandler = (_request, response, next) => {
  const { suspension } = callerOf(response);
  if (suspension !== undefined) {
    throw new HttpError(403, suspendedWords(suspension.reason), { account: 'is suspended' });
  }
  next();
};

/** A key has 52 characters, so a longer header cannot contain a valid key. */
const HEADER_MAX = 200;

/** The scheme is case-insensitive. Returns undefined if the header has another form. */
export function bearerOf(header: string): string | undefined {
  if (header.length > HEADER_MAX || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return header.slice(7).trim();
}

export const SESSION_IS_NEEDED = 'This is done in the dashboard: a session is needed, a key does not do.';
export const SESSION_OR_ADMIN_IS_NEEDED =
  'This needs a session of the dashboard, or an API key with the scope "admin".';

export function scopeIsMissing(scopes: readonly Scope[]): string {
  const names = scopes.map((scope) => `"${scope}"`).join(' and ');
  const administrator = scopes.includes('admin') ? ' of an administrator' : '';
  return `This needs an API key with the ${scopes.length === 1 ? 'scope' : 'scopes'} ${names}${administrator}.`;
}

export function suspendedWords(reason: string | null): string {
  return `This account is suspended${reason === null ? '.' : `: ${reason}`}`;
}

export function callerOf(response: Response): Caller {
  return response.locals.caller as Caller;
}
