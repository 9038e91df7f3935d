import { actorOf } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { inPath } from '../platform/fields.ts';
import { done } from './accounts.schema.ts';
import type { AccountsPorts } from './ports.ts';
import { SESSION } from './sessions.schema.ts';

export const endSessionEndpoint = endpoint({
  id: 'endSession',
  method: 'DELETE',
  path: '/account/sessions/:id',
  scope: 'write',
  session: 'needed',
  summary: 'End a session',
  description: 'Ends one of your sessions. Its next request is refused.',
  params: { id: inPath(100, 'The ID of the session.', SESSION.id) },
  answers: done('The session has ended.'),
  errors: ['session_not_found'],
  means: { 404: 'Your account has no session with this ID.' },
  handle: async ({ caller, params }, deps: AccountsPorts) => {
    const { accountId } = caller;
    await deps.sessions.endOne(accountId, params.id, () => [
      { by: actorOf(caller), action: 'session.ended', subject: params.id, accountId },
    ]);
    return { done: true };
  },
});
