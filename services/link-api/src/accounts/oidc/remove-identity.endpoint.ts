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
  summary: 'Disconnect an identity',
  description:
    'Removes an identity of the OpenID Connect provider, so that it no longer signs in to your account. Its sessions continue.',
  params: { id: inPath(100, 'The ID of the identity.', IDENTITY.id) },
  answers: {
    200: {
      means: 'The identity was removed.',
      schema: named('RemovedIdentity', 'The removed identity.', { id: uuid }),
      examples: { Removed: { id: IDENTITY.id } },
    },
  },
  errors: ['identity_not_found'],
  means: { 404: 'Your account has no identity with this ID.' },
  handle: async ({ caller, params }, deps: AccountsPorts) => {
    await removeIdentity(deps, caller.accountId, params.id, actorOf(caller));
    return { id: params.id };
  },
});
