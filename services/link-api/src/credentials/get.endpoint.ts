import { ownSession } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { answers, presentCredentials } from './credentials.schema.ts';
import type { CredentialsPorts } from './ports.ts';

export const getCredentialsEndpoint = endpoint({
  id: 'getCredentials',
  method: 'GET',
  path: '/account/credentials',
  scope: 'read',
  session: 'needed',
  share: 'reads',
  summary: 'List what lets you in',
  description: 'Sessions, devices, passkeys, identities, keys and webhooks, each with the time when it was added.',
  answers,
  handle: ({ caller }, deps: CredentialsPorts) =>
    presentCredentials(deps, caller.accountId, ownSession(caller).tokenHash),
});
