import { accountOf, emailParam } from '../accounts/index.ts';
import { aboutAccount } from '../audit/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { READS } from '../platform/limits.ts';
import { keyList, presentKeyList } from './keys.schema.ts';
import type { KeysPorts } from './ports.ts';

export const listKeysEndpoint = endpoint({
  id: 'listKeys',
  method: 'GET',
  path: '/account/keys',
  scope: 'read',
  session: 'or_admin_key',
  summary: 'List your API keys',
  description: 'Returns the active API keys of your account, newest first. The full keys are not included.',
  answers: keyList,
  cli: 'waypost keys list',
  handle: async ({ caller }, deps: KeysPorts) => presentKeyList(await deps.keys.list(caller.accountId)),
});

export const listAccountKeysEndpoint = endpoint({
  id: 'listAccountKeys',
  method: 'GET',
  path: '/admin/accounts/:email/keys',
  scope: 'admin',
  concurrency: READS,
  summary: 'List the API keys of an account',
  description: 'Returns the active API keys of any account, newest first. The audit log records this request.',
  params: { email: emailParam },
  answers: keyList,
  errors: ['account_not_found'],
  means: { 404: 'The account was not found.' },
  cli: 'waypost admin list-keys --email ada@example.org',
  handle: async ({ caller, params }, deps: KeysPorts) => {
    const { id } = await accountOf(deps, params.email);
    if (id !== caller.accountId) await deps.audit.read(aboutAccount(actorOf(caller), 'account.keys_read', id));
    return presentKeyList(await deps.keys.list(id));
  },
});
