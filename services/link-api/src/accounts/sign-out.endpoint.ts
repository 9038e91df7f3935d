import Joi from 'joi';
import { endpoint, Reply } from '../platform/endpoint.ts';
import { named } from '../platform/fields.ts';
import type { AccountsPorts } from './ports.ts';
import { replaceSession } from './session-cookie.ts';

export const signOutEndpoint = endpoint({
  id: 'signOut',
  method: 'DELETE',
  path: '/session',
  browser: {},
  summary: 'Sign out',
  description: 'Ends the session of this browser, if it has one.',
  answers: {
    200: {
      means: 'The browser is signed out.',
      schema: named('SignedOut', 'Confirmation that the browser is signed out.', { signed_out: Joi.boolean() }),
      examples: { 'Signed out': { signed_out: true } },
    },
  },
  handle: async ({ cookies }, deps: AccountsPorts) =>
    new Reply(200, { signed_out: true }, { 'Set-Cookie': await replaceSession(deps, cookies(), undefined) }),
});
