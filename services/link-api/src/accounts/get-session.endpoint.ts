import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { named } from '../platform/fields.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import type { AccountsPorts } from './ports.ts';

export const getSessionEndpoint = endpoint({
  id: 'getSession',
  method: 'GET',
  path: '/session',
  browser: {},
  query: undefined,
  summary: 'Ask whether you are signed in',
  description: 'The dashboard asks before it asks for the account: to be signed out is no error.',
  answers: {
    200: {
      means: 'Whether the browser has a session.',
      schema: named('SessionState', 'Whether the browser has a session.', { signed_in: Joi.boolean() }),
      examples: { 'Signed in': { signed_in: true } },
    },
  },
  handle: async ({ sessionToken }, deps: AccountsPorts) => {
    const token = sessionToken();
    const caller = token && (await deps.sessions.authenticate(hashSecret(token), deps.now()));
    return { signed_in: caller !== undefined };
  },
});
