import { accountOf, emailParam } from '../accounts/index.ts';
import { aboutAccount } from '../audit/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint, unknownParameter } from '../platform/endpoint.ts';
import { answers, presentCredentials } from './credentials.schema.ts';
import type { CredentialsPorts } from './ports.ts';

export const getAccountCredentialsEndpoint = endpoint({
  id: 'getAccountCredentials',
  method: 'GET',
  path: '/admin/accounts/:email/credentials',
  scope: 'admin',
  share: 'reads',
  summary: 'List what lets people into an account',
  description: 'Sessions, devices, passkeys, identities, keys and webhooks, each with the time when it was added.',
  params: { email: emailParam },
  answers,
  errors: [unknownParameter, 'account_not_found'],
  means: { 404: 'There is no such account.' },
  cli: 'waypost admin list-credentials --email ada@example.org',
  handle: async ({ caller, params }, deps: CredentialsPorts) => {
    const { id } = await accountOf(deps, params.email);
    if (id !== caller.accountId) await deps.audit.read(aboutAccount(actorOf(caller), 'account.keys_read', id));
    return presentCredentials(deps, id);
  },
});
