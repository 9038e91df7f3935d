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
  summary: 'Confirm your identity',
  description:
    'Confirms your identity with your password, or with a passkey and a challenge of `POST /session/passkey/challenge`. For 15 minutes, the session may then call the endpoints that need this confirmation. It gets a new cookie, and the earlier cookie stops working.',
  body: input(
    {
      current_password: optional(secret).description('The password of the account.'),
      passkey: optional(assertedPasskey).description(
        'The `toJSON()` of the result of `navigator.credentials.get()`, in place of the password.',
      ),
    },
    'Proof',
    'A proof of identity: either the password or a passkey.',
  ),
  examples: { 'With a password': { current_password: 'correct horse battery staple' } },
  answers: done('Your identity is confirmed.'),
  errors: [
    wrong('Wrong password', { current_password: 'is wrong' }),
    wrong('Passkey of another account', { passkey: 'does not belong to this account' }),
    'too_many_attempts',
  ],
  means: { 400: 'The proof is invalid.', 429: 'Too many attempts. Retry after `Retry-After` seconds.' },
  handle: async ({ caller, body, signal }, deps: AccountsPorts) => {
    const token = await proveSession(deps, caller, { password: body.current_password, passkey: body.passkey }, signal);
    return new Reply(200, { done: true }, { 'Set-Cookie': sessionCookie(deps.baseUrl, token) });
  },
});
