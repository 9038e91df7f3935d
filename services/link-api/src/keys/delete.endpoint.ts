import { accountOf, changeOfAccount, emailParam } from '../accounts/index.ts';
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
  description: `It is refused from the next request on. This cannot be undone. ${ITS_WEBHOOKS}`,
  params: { id: keyParam },
  query: { webhooks: webhooksParam },
  answers: deletedKey,
  errors: ['key_not_found'],
  means: { 404: 'There is no such key of yours.' },
  cli: `waypost keys delete ${KEY.id}`,
  handle: async ({ caller, params, query: { webhooks } }, deps: KeysPorts) => {
    const from = { accountId: caller.accountId, webhooks };
    return presentDeletedKey(await deleteApiKey(deps, params.id, from, actorOf(caller)));
  },
});

export const deleteAccountKeyEndpoint = endpoint({
  id: 'deleteAccountKey',
  method: 'DELETE',
  path: '/admin/accounts/:email/keys/:id',
  scope: 'admin',
  audited: changeOfAccount('key.deleted', ({ id }: { readonly email: string; readonly id: string }) => id),
  summary: 'Delete an API key of an account',
  description: `It is refused from the next request on. This cannot be undone. ${ITS_WEBHOOKS}`,
  query: { webhooks: webhooksParam },
  params: { email: emailParam, id: keyParam },
  answers: deletedKey,
  errors: ['account_not_found', 'key_not_found'],
  means: { 404: 'There is no such account, or it has no such key.' },
  cli: `waypost admin delete-key --email ada@example.org --id ${KEY.id}`,
  handle: async ({ caller, params, query: { webhooks } }, deps: KeysPorts) => {
    const { id: accountId } = await accountOf(deps, params.email);
    return presentDeletedKey(await deleteApiKey(deps, params.id, { accountId, webhooks }, actorOf(caller)));
  },
});
