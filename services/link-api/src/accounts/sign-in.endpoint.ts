import { endpoint } from '../platform/endpoint.ts';
import { secret } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { SIGN_INS_OF_ADDRESS } from './limits.ts';
import type { AccountsPorts } from './ports.ts';
import { sessionOf, signedIn } from './session.schema.ts';
import { deviceIn } from './session-cookie.ts';
import { email, withoutPassword } from './sign-in.schema.ts';
import { signIn } from './sign-in.ts';

export const signInEndpoint = endpoint({
  id: 'signIn',
  method: 'POST',
  path: '/session',
  browser: { atMost: SIGN_INS_OF_ADDRESS },
  summary: 'Sign in with a password',
  description: 'Starts a dashboard session. It ends after 14 days, or after 7 days without use.',
  body: input({ email, password: secret }, 'SignIn', 'An e-mail address and its password.'),
  examples: { Account: { email: 'ada@example.org', password: 'correct horse battery staple' } },
  answers: signedIn,
  errors: [withoutPassword, 'credentials_wrong', 'too_many_attempts'],
  means: { 400: 'The request body is invalid.', 401: 'The e-mail address or the password is wrong.' },
  handle: async ({ body, cookies, origin, place, signal }, deps: AccountsPorts) => {
    const from = { place, device: deviceIn(cookies(), deps.baseUrl), origin: origin() };
    return sessionOf(deps, cookies(), await signIn(deps, body, from, signal));
  },
});
