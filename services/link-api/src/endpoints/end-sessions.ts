import { actorOf } from '../use-cases/actor.ts';
import { done } from './account-bodies.ts';
import { endpoint, unknownParameter } from './endpoint.ts';

export const endSessionsEndpoint = endpoint({
  id: 'endSessions',
  method: 'DELETE',
  path: '/account/sessions',
  scope: 'write',
  session: 'needed',
  tag: 'Account',
  summary: 'Sign out everywhere',
  description: 'Ends every session of the account, this one included. Keys stay.',
  answers: done('Nobody is signed in.'),
  errors: [unknownParameter],
  handle: async ({ caller }, deps) => {
    await deps.sessions.endAll(caller.accountId, actorOf(caller));
    return { done: true };
  },
});
