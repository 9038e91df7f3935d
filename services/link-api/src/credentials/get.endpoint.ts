import { ownSession } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
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
