import { LIMITS } from '@waypost/domain';
import Joi from 'joi';
import { NAME_MAX } from '../../platform/checks.ts';
import { endpoint, wrong } from '../../platform/endpoint.ts';
import { notBlank } from '../../platform/fields.ts';
import { input } from '../../platform/input.ts';
import type { AccountsPorts } from '../ports.ts';
import { beginPasskey, createPasskey } from './create.ts';
import { createdPasskey, PASSKEY, passkeyBody, passkeyOptions, presentPasskey } from './passkeys.schema.ts';

export const beginPasskeyEndpoint = endpoint({
  id: 'beginPasskey',
  method: 'POST',
  path: '/account/passkeys/challenge',
  scope: 'write',
  session: 'needed',
  proof: true,
  summary: 'Begin to create a passkey',
  description:
    'Returns options for `PublicKeyCredential.parseCreationOptionsFromJSON()`. The challenge works once and expires after 5 minutes.',
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
  summary: 'Create a passkey',
  description: `Adds a passkey to your account, which may have up to ${LIMITS.passkeysPerAccount}.`,
  body: input(
    {
      name: Joi.string().meta(notBlank(NAME_MAX)).description(`A name for the passkey: 1 to ${NAME_MAX} characters.`),
      passkey: createdPasskey.description('The `toJSON()` of the result of `navigator.credentials.create()`.'),
    },
    'NewPasskey',
    'The passkey to add.',
  ),
  examples: {
    Phone: {
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
  answers: { 201: { means: 'The passkey was created.', schema: passkeyBody, examples: { Passkey: PASSKEY } } },
  errors: [
    wrong('Invalid challenge', { passkey: 'must answer an unused challenge of the last 5 minutes' }),
    'too_many_passkeys',
    'passkey_exists',
  ],
  means: {
    400: 'The name or the passkey is invalid.',
    409: 'The passkey already exists, or your account has reached its limit.',
  },
  handle: async ({ caller, body }, deps: AccountsPorts) => presentPasskey(await createPasskey(deps, caller, body)),
});
