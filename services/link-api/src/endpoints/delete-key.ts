import { actorOf } from '../use-cases/actor.ts';
import { endpoint } from './endpoint.ts';
import { deletedKey, KEY, keyParam, presentDeletedKey } from './key-bodies.ts';

export const deleteKeyEndpoint = endpoint({
  id: 'deleteKey',
  method: 'DELETE',
  path: '/account/keys/:id',
  scope: 'write',
  session: 'or_admin_key',
  summary: 'Delete an API key',
  description: 'It is refused from the next request on. This cannot be undone.',
  params: { id: keyParam },
  answers: deletedKey,
  errors: ['key_not_found'],
  means: { 404: 'There is no such key of yours.' },
  cli: `waypost keys delete ${KEY.id}`,
  handle: async ({ caller, params }, deps) =>
    presentDeletedKey(await deps.keys.delete(params.id, caller.accountId, actorOf(caller))),
});
