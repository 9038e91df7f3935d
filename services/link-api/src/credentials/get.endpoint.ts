import { accountOf, emailParam } from '../accounts/index.ts';
import { aboutAccount } from '../audit/index.ts';
import { actorOf, ownSession } from '../platform/caller.ts';
import { endpoint, unknownParameter } from '../platform/endpoint.ts';
import { READS } from '../platform/limits.ts';
import { answers, presentCredentials } from './credentials.schema.ts';
import type { CredentialsPorts } from './ports.ts';

export const getCredentialsEndpoint = endpoint({
  id: 'getCredentials',
  method: 'GET',
  path: '/account/credentials',
  scope: 'read',
  session: 'needed',
  concurrency: READS,
  summary: 'List your credentials',
  description:
    'Returns all sessions, devices, passkeys, identities, API keys and webhooks of the account, with the time when each was added.',
  answers,
  handle: ({ caller }, deps: CredentialsPorts) =>
    presentCredentials(deps, caller.accountId, ownSession(caller).tokenHash),
});

export const getAccountCredentialsEndpoint = endpoint({
  id: 'getAccountCredentials',
  method: 'GET',
  path: '/admin/accounts/:email/credentials',
  scope: 'admin',
  concurrency: READS,
  summary: 'List the credentials of an account',
  description:
    'Returns all sessions, devices, passkeys, identities, API keys and webhooks of the account, with the time when each was added.',
  params: { email: emailParam },
  answers,
  errors: [unknownParameter, 'account_not_found'],
  means: { 404: 'The account was not found.' },
  cli: 'waypost admin list-credentials --email ada@example.org',
  handle: async ({ caller, params }, deps: CredentialsPorts) => {
    const { id } = await accountOf(deps, params.email);
    if (id !== caller.accountId) await deps.audit.read(aboutAccount(actorOf(caller), 'account.keys_read', id));
    return presentCredentials(deps, id);
  },
});
