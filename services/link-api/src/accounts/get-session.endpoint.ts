import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { named } from '../platform/fields.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import type { AccountsPorts } from './ports.ts';
import { sessionToken } from './session-cookie.ts';

export const getSessionEndpoint = endpoint({
  id: 'getSession',
  method: 'GET',
  path: '/session',
  browser: {},
  summary: 'Get the state of the session',
  description: 'Returns whether the browser is signed in. A browser that is signed out gets 200, not an error.',
  answers: {
    200: {
      means: 'Whether the browser is signed in.',
      schema: named('SessionState', 'Whether the browser is signed in.', { signed_in: Joi.boolean() }),
      examples: { 'Signed in': { signed_in: true } },
    },
  },
  handle: async ({ cookies }, deps: AccountsPorts) => {
    const token = sessionToken(cookies(), deps.baseUrl);
    const caller = token && (await deps.sessions.authenticate(hashSecret(token), deps.now()));
    return { signed_in: caller !== undefined };
  },
});
