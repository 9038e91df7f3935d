import Joi from 'joi';
import { KEY, keyFields, time } from './account-bodies.ts';
import { endpoint, none, unknownParameter } from './endpoint.ts';
import { named } from './fields.ts';

export const deleteKeyEndpoint = endpoint({
  id: 'deleteKey',
  method: 'DELETE',
  path: '/account/keys/:id',
  scope: 'write',
  session: true,
  tag: 'Account',
  summary: 'Delete an API key',
  description: 'It is refused from the next request on. This cannot be undone.',
  params: { id: Joi.string().description('The id of the key.').example(KEY.id) },
  query: none,
  body: undefined,
  answers: {
    200: {
      means: 'The key is deleted.',
      schema: named('DeletedApiKey', 'A deleted key.', { id: keyFields.id, deleted_at: time }),
      examples: { Deleted: { id: KEY.id, deleted_at: '2026-11-21T10:15:00.000Z' } },
    },
  },
  errors: [unknownParameter, 'key_not_found'],
  means: { 404: 'There is no such key of yours.' },
  sample: { path: `/api/v1/account/keys/${KEY.id}` },
  handle: async ({ caller, params }, deps) => {
    const { id, deletedAt } = await deps.keys.delete(params.id, caller.accountId);
    return { id, deleted_at: deletedAt.toISOString() };
  },
});
