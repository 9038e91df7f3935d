import { LIMITS } from '@waypost/domain';
import Joi from 'joi';
import { createApiKey } from '../use-cases/accounts.ts';
import { KEY, keyFields } from './account-bodies.ts';
import { endpoint, none, wrong } from './endpoint.ts';
import { list, named } from './fields.ts';
import { input } from './input.ts';

export const createKeyEndpoint = endpoint({
  id: 'createKey',
  method: 'POST',
  path: '/account/keys',
  scope: 'write',
  session: true,
  tag: 'Account',
  summary: 'Make an API key',
  description: `The key is in this answer and nowhere else. An account has at most ${LIMITS.activeKeysPerAccount} active keys.`,
  params: none,
  query: none,
  body: input(
    {
      name: Joi.string().description('What it is for: 1 to 100 characters.'),
      scopes: list(Joi.string()).description('`read`, `write` or both; or `admin` alone.'),
    },
    'NewApiKey',
    'A key to be made.',
  ),
  examples: { 'For links': { name: 'laptop', scopes: ['read', 'write'] } },
  answers: {
    201: {
      means: 'The key was made.',
      schema: named('CreatedApiKey', 'A new key.', { ...keyFields, key: Joi.string().description('Shown this once.') }),
      examples: { 'A key': { ...KEY, key: 'wp_k7Qm2Rx…' } },
    },
  },
  errors: [wrong('admin with others', { scopes: 'admin must be the only scope of a key' }), 'too_many_keys'],
  means: { 400: 'The name or the scopes are wrong.', 409: 'The account has as many keys as it may have.' },
  sample: { path: '/api/v1/account/keys' },
  handle: async ({ caller, body }, deps) => {
    const { id, name, scopes, hint, createdAt, key } = await createApiKey(deps, caller.accountId, body);
    return { id, name, scopes, hint, created_at: createdAt.toISOString(), key };
  },
});
