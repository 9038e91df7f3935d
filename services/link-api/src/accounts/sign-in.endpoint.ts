import { endpoint } from '../platform/endpoint.ts';
import { secret } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { OF_ADDRESS } from '../platform/limits.ts';
import type { AccountsPorts } from './ports.ts';
import { sessionOf, signedIn } from './session.schema.ts';
import { deviceIn } from './session-cookie.ts';
import { email, withoutPassword } from './sign-in.schema.ts';
import { signIn } from './sign-in.ts';

export const signInEndpoint = endpoint({
  id: 'signIn',
  method: 'POST',
  path: '/session',
  browser: { atMost: OF_ADDRESS.signIns },
  query: undefined,
  summary: 'Sign in by password',
  description: 'Starts a session of the dashboard, for 14 days; it ends a week after its last use.',
  body: input({ email, password: secret }, 'SignIn', 'An e-mail address and its password.'),
  examples: { 'An account': { email: 'ada@example.org', password: 'correct horse battery staple' } },
  answers: signedIn,
  errors: [withoutPassword, 'credentials_wrong', 'too_many_attempts'],
  means: { 400: 'The body is wrong.', 401: 'There is no such account, or the password is wrong.' },
  handle: async ({ body, sessionToken, cookies, origin, place, signal }, deps: AccountsPorts) => {
    const from = { place, device: deviceIn(cookies(), deps.baseUrl), origin: origin() };
    return sessionOf(deps, sessionToken(), await signIn(deps, body, from, signal));
  },
});
