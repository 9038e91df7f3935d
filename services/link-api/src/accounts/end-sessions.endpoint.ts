import { aboutAccount } from '../audit/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { done } from './accounts.schema.ts';
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
    const { accountId } = caller;
    await deps.sessions.endAll(accountId, () => [aboutAccount(actorOf(caller), 'account.sessions_ended', accountId)]);
    return { done: true };
  },
});
