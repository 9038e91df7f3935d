import { actorOf } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { deleteApiKey } from './delete.ts';
import { deletedKey, ITS_WEBHOOKS, KEY, keyParam, presentDeletedKey, webhooksParam } from './keys.schema.ts';
import type { KeysPorts } from './ports.ts';

export const deleteKeyEndpoint = endpoint({
  id: 'deleteKey',
  method: 'DELETE',
  path: '/account/keys/:id',
  scope: 'write',
  session: 'or_admin_key',
  summary: 'Delete an API key',
  description: `Deletes an API key permanently. Its next request is refused. ${ITS_WEBHOOKS}`,
  params: { id: keyParam },
  query: { webhooks: webhooksParam },
  answers: deletedKey,
  errors: ['key_not_found'],
  means: { 404: 'Your account has no active API key with this ID.' },
  cli: `waypost keys delete ${KEY.id}`,
  handle: async ({ caller, params, query: { webhooks } }, deps: KeysPorts) => {
    const from = { accountId: caller.accountId, webhooks };
    return presentDeletedKey(await deleteApiKey(deps, params.id, from, actorOf(caller)));
  },
});

export const deleteAnyKeyEndpoint = endpoint({
  id: 'deleteAnyKey',
  method: 'DELETE',
  path: '/admin/keys/:id',
  scope: 'admin',
  audited: { action: 'key.deleted', refused: ({ params }) => ({ subject: params.id }) },
  summary: 'Delete an API key of any account',
  description: `Deletes an API key permanently. Its next request is refused. ${ITS_WEBHOOKS}`,
  query: { webhooks: webhooksParam },
  params: { id: keyParam },
  answers: deletedKey,
  errors: ['key_not_found'],
  means: { 404: 'There is no active API key with this ID.' },
  cli: `waypost admin delete-key --id ${KEY.id}`,
  handle: async ({ caller, params, query: { webhooks } }, deps: KeysPorts) =>
    presentDeletedKey(await deleteApiKey(deps, params.id, { accountId: undefined, webhooks }, actorOf(caller))),
});
