import { isApiKey } from '@waypost/domain';
import { type Sessions, sessionToken } from '../accounts/index.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { type Authentication, NO_VALID_KEY } from '../platform/http/authentication.ts';
import { HttpError } from '../platform/http/errors.ts';
import { requireSameOrigin } from '../platform/http/same-origin.ts';
import type { ApiKeys } from './keys.port.ts';

export interface AuthenticationPorts {
  readonly keys: Pick<ApiKeys, 'authenticate'>;
  readonly sessions: Pick<Sessions, 'authenticate'>;
  readonly baseUrl: string;
  readonly now: () => Date;
}

/** Reads the key or the session from the store on each request, so a deleted key fails at once. */
export function authentication({ keys, sessions, baseUrl, now }: AuthenticationPorts): Authentication {
  return {
    credentialOf: ({ headers: { authorization, cookie } }) => {
      const secret = authorization === undefined ? sessionToken(cookie, baseUrl) : bearerOf(authorization);
      return secret && hashSecret(secret).toString('latin1');
    },
    authenticate: async (request, bySession) => {
      const { authorization, cookie } = request.headers;
      const token = bySession && authorization === undefined ? sessionToken(cookie, baseUrl) : undefined;
      if (token !== undefined) {
        // A browser sends the cookie even if the request comes from a page of another site.
        if (!['GET', 'HEAD'].includes(request.method)) requireSameOrigin(request, baseUrl);
        const caller = await sessions.authenticate(hashSecret(token), now());
        if (caller === undefined) throw new HttpError(401, 'The session has ended. Sign in again.');
        return caller;
      }
      if (authorization === undefined)
        throw new HttpError(401, 'An API key is required. Send the header "Authorization: Bearer <API_KEY>".');
      const key = bearerOf(authorization);
      const caller = key !== undefined && isApiKey(key) ? await keys.authenticate(hashSecret(key)) : undefined;
      if (caller === undefined) throw new HttpError(401, NO_VALID_KEY);
      return caller;
    },
  };
}

/** A key has 52 characters, so a longer header cannot contain a valid key. */
const HEADER_MAX = 200;

/** The scheme is case-insensitive. Returns undefined if the header has another form. */
export function bearerOf(header: string): string | undefined {
  if (header.length > HEADER_MAX || header.slice(0, 7).toLowerCase() !== 'bearer ') return undefined;
  return header.slice(7).trim();
}
