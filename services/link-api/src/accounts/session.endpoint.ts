import Joi from 'joi';
import { endpoint, Reply, wrong } from '../platform/endpoint.ts';
import { named, nullable, object, secret, text } from '../platform/fields.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { input } from '../platform/input.ts';
import { OF_ADDRESS } from '../platform/limits.ts';
import { newPassword } from './accounts.schema.ts';
import { EMAIL_MAX } from './accounts.ts';
import type { AccountsPorts } from './ports.ts';
import { sessionOf, signedIn } from './session.schema.ts';
import { deviceIn, replaceSession } from './session-cookie.ts';
import { firstRun, signIn } from './sign-in.ts';

const email = text.max(EMAIL_MAX);
const withoutPassword = wrong('No password', { password: 'is required' });

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

export const signOutEndpoint = endpoint({
  id: 'signOut',
  method: 'DELETE',
  path: '/session',
  browser: {},
  query: undefined,
  summary: 'Sign out',
  description: 'Ends the session of this browser, if it has one.',
  answers: {
    200: {
      means: 'The browser has no session any more.',
      schema: named('SignedOut', 'The session is over.', { signed_out: Joi.boolean() }),
      examples: { 'Signed out': { signed_out: true } },
    },
  },
  handle: async ({ sessionToken }, deps: AccountsPorts) =>
    new Reply(200, { signed_out: true }, { 'Set-Cookie': await replaceSession(deps, sessionToken(), undefined) }),
});

export const getSignInOptionsEndpoint = endpoint({
  id: 'getSignInOptions',
  method: 'GET',
  path: '/session/options',
  browser: {},
  query: undefined,
  summary: 'Read how one may sign in',
  description: 'Beside a password, a passkey and a link of an administrator.',
  answers: {
    200: {
      means: 'The provider, if there is one.',
      schema: named('SignInOptions', 'How one may sign in.', {
        provider: nullable(object({ name: Joi.string() })).description('Of OpenID Connect. Null: none is configured.'),
      }),
      examples: { 'A provider': { provider: { name: 'Example' } } },
    },
  },
  handle: (_call, deps: AccountsPorts) => ({
    provider: deps.byProvider ? { name: deps.byProvider.provider.name } : null,
  }),
});

export const firstRunEndpoint = endpoint({
  id: 'firstRun',
  method: 'POST',
  path: '/first-run',
  browser: {},
  query: undefined,
  summary: 'Make the first account',
  description:
    'With the token of the address that the terminal printed. The account is an administrator, and signed in.',
  body: input({ token: secret, email, password: newPassword }, 'FirstRun', 'The first account.'),
  examples: {
    'An account': { token: '5zcXv1x0…', email: 'ada@example.org', password: 'correct horse battery staple' },
  },
  answers: signedIn,
  errors: [withoutPassword, 'first_run_over'],
  means: { 400: 'The body is wrong.' },
  handle: async ({ body, sessionToken, origin, signal }, deps: AccountsPorts) =>
    sessionOf(deps, sessionToken(), await firstRun(deps, { ...body, origin: origin() }, signal)),
});
