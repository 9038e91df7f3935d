import { endpoint } from '../platform/endpoint.ts';
import { inPath } from '../platform/fields.ts';
import { done } from './accounts.schema.ts';
import { endSession } from './end-session.ts';
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
    await endSession(deps, caller, params.id);
    return { done: true };
  },
});
