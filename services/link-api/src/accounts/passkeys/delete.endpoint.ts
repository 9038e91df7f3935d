import Joi from 'joi';
import { actorOf } from '../../platform/caller.ts';
import { endpoint } from '../../platform/endpoint.ts';
import { named, uuid } from '../../platform/fields.ts';
import type { AccountsPorts } from '../ports.ts';
import { PASSKEY } from './passkeys.schema.ts';
import { deletePasskey } from './passkeys.ts';

export const deletePasskeyEndpoint = endpoint({
  id: 'deletePasskey',
  method: 'DELETE',
  path: '/account/passkeys/:id',
  scope: 'write',
  session: 'needed',
  proof: true,
  summary: 'Remove a passkey',
  description: 'It signs nobody in any more. Sessions that it began go on.',
  params: { id: Joi.string().description('The id of the passkey.').example(PASSKEY.id) },
  answers: {
    200: {
      means: 'The passkey is removed.',
      schema: named('RemovedPasskey', 'A removed passkey.', { id: uuid }),
      examples: { Removed: { id: PASSKEY.id } },
    },
  },
  errors: ['passkey_not_found'],
  means: { 404: 'There is no such passkey of yours.' },
  handle: async ({ caller, params }, deps: AccountsPorts) => {
    await deletePasskey(deps, caller.accountId, params.id, actorOf(caller));
    return { id: params.id };
  },
});
