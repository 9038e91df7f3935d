import { actorOf } from '../use-cases/actor.ts';
import { ACCOUNT, accountDetails, emailParam, presentAccount } from './account-bodies.ts';
import { endpoint } from './endpoint.ts';

export const resumeAccountEndpoint = endpoint({
  id: 'resumeAccount',
  method: 'DELETE',
  path: '/admin/accounts/:email/suspension',
  scope: 'admin',
  audited: 'account.resumed',
  summary: 'Lift a suspension',
  description: 'Its keys and sessions work again. An account that is not suspended stays as it is.',
  params: { email: emailParam },
  answers: { 200: { means: 'The account as it is now.', schema: accountDetails, examples: { Resumed: ACCOUNT } } },
  errors: ['account_not_found'],
  means: { 404: 'There is no such account.' },
  cli: 'waypost admin resume-account --email ada@example.org',
  handle: async ({ caller, params }, deps) => presentAccount(await deps.accounts.resume(params.email, actorOf(caller))),
});
