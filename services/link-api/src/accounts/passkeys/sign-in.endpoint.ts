import { endpoint, wrong } from '../../platform/endpoint.ts';
import { input } from '../../platform/input.ts';
import type { AccountsPorts } from '../ports.ts';
import { sessionOf, signedIn } from '../session.schema.ts';
import { assertedPasskey, passkeyOptions } from './passkeys.schema.ts';
import { beginSignInByPasskey, signInByPasskey } from './sign-in.ts';

export const beginSignInByPasskeyEndpoint = endpoint({
  id: 'beginSignInByPasskey',
  method: 'POST',
  path: '/session/passkey/challenge',
  browser: {},
  summary: 'Begin a sign-in with a passkey',
  description:
    'Returns options for `PublicKeyCredential.parseRequestOptionsFromJSON()`. The challenge works once and expires after 5 minutes.',
  answers: passkeyOptions,
  errors: ['too_many_attempts'],
  handle: (_call, deps: AccountsPorts) => beginSignInByPasskey(deps),
});

export const signInByPasskeyEndpoint = endpoint({
  id: 'signInByPasskey',
  method: 'POST',
  path: '/session/passkey',
  browser: {},
  summary: 'Sign in with a passkey',
  description: 'Starts a dashboard session. It ends after 14 days, or after 7 days without use.',
  body: input(
    { passkey: assertedPasskey.description('The `toJSON()` of the result of `navigator.credentials.get()`.') },
    'PasskeySignIn',
    'The passkey to sign in with.',
  ),
  examples: {
    Phone: {
      passkey: {
        id: 'Zm9vYmFy',
        response: {
          clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
          authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4',
          signature: 'MEUCIQDk',
          userHandle: 'b7a5f3a0',
        },
      },
    },
  },
  answers: signedIn,
  errors: [
    wrong('Invalid passkey', { 'passkey.id': 'must be base64url' }),
    ['credentials_wrong', 'Passkey not accepted', 'This passkey was not accepted. Try again, or sign in another way.'],
  ],
  means: { 400: 'The request body is invalid.', 401: 'The passkey was not accepted.' },
  handle: async ({ body, cookies, origin }, deps: AccountsPorts) =>
    sessionOf(deps, cookies(), await signInByPasskey(deps, body.passkey, origin())),
});
