import { LIMITS } from '@waypost/domain';
import { KEY, keyFields, time } from './account-bodies.ts';
import { endpoint, none, unknownParameter } from './endpoint.ts';
import { list, named, nullable, whole } from './fields.ts';

export const listKeysEndpoint = endpoint({
  id: 'listKeys',
  method: 'GET',
  path: '/account/keys',
  scope: 'read',
  session: true,
  tag: 'Account',
  summary: 'List your API keys',
  description: 'The active keys, the newest first. A key itself is never shown again.',
  params: none,
  query: none,
  body: undefined,
  answers: {
    200: {
      means: 'The keys.',
      schema: named('ApiKeyList', 'The active keys of an account.', {
        data: list(
          named('ApiKey', 'An API key, without the key itself.', {
            ...keyFields,
            last_used_at: nullable(time).description('To within a minute; null for one that was never used.'),
          }),
        ),
        limit: whole.description('Active keys that an account may have.'),
      }),
      examples: { 'One key': { data: [{ ...KEY, last_used_at: null }], limit: LIMITS.activeKeysPerAccount } },
    },
  },
  errors: [unknownParameter],
  sample: { path: '/api/v1/account/keys' },
  handle: async ({ caller }, deps) => {
    const keys = await deps.keys.list(caller.accountId);
    const data = keys.map(({ id, name, scopes, hint, createdAt, lastUsedAt }) => ({
      id,
      name,
      scopes,
      hint,
      created_at: createdAt.toISOString(),
      last_used_at: lastUsedAt?.toISOString() ?? null,
    }));
    return { data, limit: LIMITS.activeKeysPerAccount };
  },
});
