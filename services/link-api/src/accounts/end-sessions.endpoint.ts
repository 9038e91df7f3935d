import { endpoint } from '../platform/endpoint.ts';
import { done } from './accounts.schema.ts';
import { endSessions } from './end-sessions.ts';
import type { AccountsPorts } from './ports.ts';

export const endSessionsEndpoint = endpoint({
  id: 'endSessions',
  method: 'DELETE',
  path: '/account/sessions',
  scope: 'write',
  session: 'needed',
  summary: 'Sign out everywhere',
  description: 'Ends every session of the account, including this one. API keys keep working.',
  answers: done('All sessions have ended.'),
  handle: async ({ caller }, deps: AccountsPorts) => {
    await endSessions(deps, caller);
    return { done: true };
  },
});
