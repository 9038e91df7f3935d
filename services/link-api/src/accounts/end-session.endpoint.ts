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
  summary: 'End one of your sessions',
  description: 'It is refused from its next request on.',
  params: { id: inPath(100, 'The id of the session.', SESSION.id) },
  answers: done('It has ended.'),
  errors: ['session_not_found'],
  means: { 404: 'There is no such session of yours.' },
  handle: async ({ caller, params }, deps: AccountsPorts) => {
    await endSession(deps, caller, params.id);
    return { done: true };
  },
});
