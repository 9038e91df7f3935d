import { actorOf } from '../use-cases/actor.ts';
import { done } from './account-bodies.ts';
import { endpoint } from './endpoint.ts';

export const endSessionsEndpoint = endpoint({
  id: 'endSessions',
  method: 'DELETE',
  path: '/account/sessions',
  scope: 'write',
  session: 'needed',
  summary: 'Sign out everywhere',
  description: 'Ends every session of the account, this one included. Keys stay.',
  answers: done('Nobody is signed in.'),
  handle: async ({ caller }, deps) => {
    await deps.sessions.endAll(caller.accountId, actorOf(caller));
    return { done: true };
  },
});
