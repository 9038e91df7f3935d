import { endpoint, wrong } from '../../platform/endpoint.ts';
import { input } from '../../platform/input.ts';
import type { AccountsPorts } from '../ports.ts';
import { sessionOf, signedIn } from '../session.schema.ts';
import { assertedPasskey, passkeyOptions } from './passkeys.schema.ts';
import { beginSignInByPasskey, signInByPasskey } from './passkeys.ts';

export const beginSignInByPasskeyEndpoint = endpoint({
  id: 'beginSignInByPasskey',
  method: 'POST',
  path: '/session/passkey/challenge',
  browser: {},
  query: undefined,
  summary: 'Begin to sign in with a passkey',
  description:
    'What `PublicKeyCredential.parseRequestOptionsFromJSON()` takes. The challenge works once, for 5 minutes.',
  answers: passkeyOptions,
  errors: ['too_many_attempts'],
  handle: (_call, deps: AccountsPorts) => beginSignInByPasskey(deps),
});

export const signInByPasskeyEndpoint = endpoint({
  id: 'signInByPasskey',
  method: 'POST',
  path: '/session/passkey',
  browser: {},
  query: undefined,
  summary: 'Sign in with a passkey',
  description: 'Starts a session of the dashboard, for 14 days; it ends a week after its last use.',
  body: input(
    { passkey: assertedPasskey.description('The `toJSON()` of what `navigator.credentials.get()` found.') },
    'PasskeySignIn',
    'A passkey that the browser has.',
  ),
  examples: {
    'Of a phone': {
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
  errors: [wrong('Not of a browser', { 'passkey.id': 'must be base64url' }), 'credentials_wrong'],
  means: { 400: 'The body is wrong.', 401: 'The passkey signs nobody in.' },
  handle: async ({ body, sessionToken, origin }, deps: AccountsPorts) =>
    sessionOf(deps, sessionToken(), await signInByPasskey(deps, body.passkey, origin())),
});
