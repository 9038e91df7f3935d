import { endpoint, Reply, wrong } from '../platform/endpoint.ts';
import { optional, secret } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { done } from './accounts.schema.ts';
import { assertedPasskey } from './passkeys/passkeys.schema.ts';
import type { AccountsPorts } from './ports.ts';
import { proveSession } from './prove-session.ts';
import { sessionCookie } from './session-cookie.ts';

export const proveSessionEndpoint = endpoint({
  id: 'proveSession',
  method: 'POST',
  path: '/account/proof',
  scope: 'write',
  session: 'needed',
  summary: 'Prove that it is you',
  description:
    'By the password, or by a passkey with a challenge of `POST /session/passkey/challenge`. For 15 minutes, the session may then do what needs a proof. It gets a new cookie; copies of the earlier one stop working.',
  body: input(
    {
      current_password: optional(secret).description('The password of the account.'),
      passkey: optional(assertedPasskey).description(
        'The `toJSON()` of what `navigator.credentials.get()` found. Instead of the password.',
      ),
    },
    'Proof',
    'What only the owner has.',
  ),
  examples: { 'By password': { current_password: 'correct horse battery staple' } },
  answers: done('The session is proven.'),
  errors: [
    wrong('The wrong password', { current_password: 'is wrong' }),
    wrong("Another account's", { passkey: 'is not one of this account' }),
    'too_many_attempts',
  ],
  means: { 400: 'It proves nothing.', 429: 'Too many attempts. Wait for `Retry-After`.' },
  handle: async ({ caller, body, signal }, deps: AccountsPorts) => {
    const token = await proveSession(deps, caller, { password: body.current_password, passkey: body.passkey }, signal);
    return new Reply(200, { done: true }, { 'Set-Cookie': sessionCookie(deps.baseUrl, token) });
  },
});
