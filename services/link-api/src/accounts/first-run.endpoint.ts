import { endpoint } from '../platform/endpoint.ts';
import { secret } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { newPassword } from './accounts.schema.ts';
import { firstRun } from './first-run.ts';
import type { AccountsPorts } from './ports.ts';
import { sessionOf, signedIn } from './session.schema.ts';
import { email, withoutPassword } from './sign-in.schema.ts';

export const firstRunEndpoint = endpoint({
  id: 'firstRun',
  method: 'POST',
  path: '/first-run',
  browser: {},
  summary: 'Create the first account',
  description:
    'Creates the first account, an administrator, and signs it in. Needs the token from the URL that the terminal printed.',
  body: input({ token: secret, email, password: newPassword }, 'FirstRun', 'The first account.'),
  examples: {
    Account: { token: '5zcXv1x0…', email: 'ada@example.org', password: 'correct horse battery staple' },
  },
  answers: signedIn,
  errors: [withoutPassword, 'first_run_over'],
  means: { 400: 'The request body is invalid.', 404: 'The setup link has expired.' },
  handle: async ({ body, cookies, origin, signal }, deps: AccountsPorts) =>
    sessionOf(deps, cookies(), await firstRun(deps, { ...body, origin: origin() }, signal)),
});
