import { LIMITS } from '@waypost/domain';
import { accountOf, changeOfAccount, emailParam } from '../accounts/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { createApiKey } from './create.ts';
import { adminAlone, createdKey, NEW_KEYS, newKey, newKeyInput, presentCreatedKey } from './keys.schema.ts';
import type { KeysPorts } from './ports.ts';

export const createKeyEndpoint = endpoint({
  id: 'createKey',
  method: 'POST',
  path: '/account/keys',
  scope: 'write',
  session: 'or_admin_key',
  proof: true,
  summary: 'Create an API key',
  description: `Creates an API key. Only this response contains the full key. An account may have up to ${LIMITS.activeKeysPerAccount} active keys.`,
  body: newKeyInput,
  examples: NEW_KEYS,
  answers: createdKey,
  errors: [adminAlone, 'too_many_keys'],
  means: {
    400: 'The name, the scopes or the expiry is invalid.',
    409: 'The account has reached its limit of active keys.',
  },
  cli: 'waypost keys create --name laptop --scopes read,write',
  handle: async ({ caller, body }, deps: KeysPorts) =>
    presentCreatedKey(await createApiKey(deps, caller.accountId, newKey(body), actorOf(caller))),
});

export const createAccountKeyEndpoint = endpoint({
  id: 'createAccountKey',
  method: 'POST',
  path: '/admin/accounts/:email/keys',
  scope: 'admin',
  proof: true,
  audited: changeOfAccount('key.created'),
  summary: 'Create an API key for an account',
  description: 'Creates an API key for any account. Only this response contains the full key.',
  params: { email: emailParam },
  body: newKeyInput,
  examples: NEW_KEYS,
  answers: createdKey,
  errors: [adminAlone, 'account_not_found', 'too_many_keys'],
  means: {
    400: 'The name, the scopes or the expiry is invalid.',
    404: 'The account was not found.',
    409: 'The account has reached its limit of active keys.',
  },
  cli: 'waypost admin create-key --email ada@example.org --name laptop --scopes read,write',
  handle: async ({ caller, params, body }, deps: KeysPorts) => {
    const { id } = await accountOf(deps, params.email);
    return presentCreatedKey(await createApiKey(deps, id, newKey(body), actorOf(caller)));
  },
});
