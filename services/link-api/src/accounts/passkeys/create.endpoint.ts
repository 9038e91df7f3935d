import { LIMITS } from '@waypost/domain';
import Joi from 'joi';
import { NAME_MAX } from '../../platform/checks.ts';
import { endpoint, wrong } from '../../platform/endpoint.ts';
import { notBlank } from '../../platform/fields.ts';
import { input } from '../../platform/input.ts';
import type { AccountsPorts } from '../ports.ts';
import { createdPasskey, PASSKEY, passkeyBody, passkeyOptions, presentPasskey } from './passkeys.schema.ts';
import { beginPasskey, createPasskey } from './passkeys.ts';

export const beginPasskeyEndpoint = endpoint({
  id: 'beginPasskey',
  method: 'POST',
  path: '/account/passkeys/challenge',
  scope: 'write',
  session: 'needed',
  proof: true,
  summary: 'Begin to add a passkey',
  description:
    'What `PublicKeyCredential.parseCreationOptionsFromJSON()` takes. The challenge works once, for 5 minutes.',
  answers: passkeyOptions,
  handle: ({ caller }, deps: AccountsPorts) => beginPasskey(deps, caller.accountId),
});

export const createPasskeyEndpoint = endpoint({
  id: 'createPasskey',
  method: 'POST',
  path: '/account/passkeys',
  scope: 'write',
  session: 'needed',
  proof: true,
  summary: 'Add a passkey',
  description: `An account has at most ${LIMITS.passkeysPerAccount}.`,
  body: input(
    {
      name: Joi.string().meta(notBlank(NAME_MAX)).description(`Which it is: 1 to ${NAME_MAX} characters.`),
      passkey: createdPasskey.description('The `toJSON()` of what `navigator.credentials.create()` made.'),
    },
    'NewPasskey',
    'A passkey that the browser made.',
  ),
  examples: {
    'Of a phone': {
      name: 'phone',
      passkey: {
        id: 'Zm9vYmFy',
        response: {
          clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
          attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oA',
        },
      },
    },
  },
  answers: { 201: { means: 'The passkey was added.', schema: passkeyBody, examples: { 'A passkey': PASSKEY } } },
  errors: [
    wrong('A used challenge', { passkey: 'was not made for this page just now' }),
    'too_many_passkeys',
    'passkey_exists',
  ],
  means: { 400: 'The name or the passkey is wrong.', 409: 'The account has this passkey, or as many as it may have.' },
  handle: async ({ caller, body }, deps: AccountsPorts) => presentPasskey(await createPasskey(deps, caller, body)),
});
