import Joi from 'joi';
import { actorOf } from '../../platform/caller.ts';
import { endpoint } from '../../platform/endpoint.ts';
import { named, uuid } from '../../platform/fields.ts';
import type { AccountsPorts } from '../ports.ts';
import { deletePasskey } from './delete.ts';
import { PASSKEY } from './passkeys.schema.ts';

export const deletePasskeyEndpoint = endpoint({
  id: 'deletePasskey',
  method: 'DELETE',
  path: '/account/passkeys/:id',
  scope: 'write',
  session: 'needed',
  proof: true,
  summary: 'Delete a passkey',
  description: 'Deletes a passkey, so that it no longer signs in to your account. Its sessions continue.',
  params: { id: Joi.string().description('The ID of the passkey.').example(PASSKEY.id) },
  answers: {
    200: {
      means: 'The passkey was deleted.',
      schema: named('RemovedPasskey', 'The deleted passkey.', { id: uuid }),
      examples: { Deleted: { id: PASSKEY.id } },
    },
  },
  errors: ['passkey_not_found'],
  means: { 404: 'Your account has no passkey with this ID.' },
  handle: async ({ caller, params }, deps: AccountsPorts) => {
    await deletePasskey(deps, caller.accountId, params.id, actorOf(caller));
    return { id: params.id };
  },
});
