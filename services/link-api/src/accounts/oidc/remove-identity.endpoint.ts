import { actorOf } from '../../platform/caller.ts';
import { endpoint } from '../../platform/endpoint.ts';
import { inPath, named, uuid } from '../../platform/fields.ts';
import type { AccountsPorts } from '../ports.ts';
import { IDENTITY } from '../sessions.schema.ts';
import { removeIdentity } from './sign-in-by-provider.ts';

export const removeIdentityEndpoint = endpoint({
  id: 'removeIdentity',
  method: 'DELETE',
  path: '/account/identities/:id',
  scope: 'write',
  session: 'needed',
  proof: true,
  summary: 'Remove an identity of the provider',
  description: 'It signs nobody in any more. Sessions that it began go on.',
  params: { id: inPath(100, 'The id of the identity.', IDENTITY.id) },
  answers: {
    200: {
      means: 'The identity is removed.',
      schema: named('RemovedIdentity', 'A removed identity.', { id: uuid }),
      examples: { Removed: { id: IDENTITY.id } },
    },
  },
  errors: ['identity_not_found'],
  means: { 404: 'There is no such identity of yours.' },
  handle: async ({ caller, params }, deps: AccountsPorts) => {
    await removeIdentity(deps, caller.accountId, params.id, actorOf(caller));
    return { id: params.id };
  },
});
