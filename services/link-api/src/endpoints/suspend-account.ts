import { suspendAccount } from '../use-cases/accounts.ts';
import { actorOf } from '../use-cases/actor.ts';
import { ACCOUNT, accountDetails, emailParam, presentAccount, reasonField, SUSPENDED } from './account-bodies.ts';
import { endpoint, wrong } from './endpoint.ts';
import { input } from './input.ts';

export const suspendAccountEndpoint = endpoint({
  id: 'suspendAccount',
  method: 'PUT',
  path: '/admin/accounts/:email/suspension',
  scope: 'admin',
  audited: 'account.suspended',
  summary: 'Suspend an account',
  description:
    'Its keys and sessions are answered with 403 from the next request on. Its links stay as they are: take down those that must stop. A second suspension changes the reason alone.',
  params: { email: emailParam },
  body: input({ reason: reasonField.description('The owner reads it. One line.') }, 'Suspension', 'Why.'),
  examples: { 'A scam': { reason: 'Its links lead to a scam.' } },
  answers: { 200: { means: 'The account as it is now.', schema: accountDetails, examples: { Suspended: SUSPENDED } } },
  errors: [wrong('Your own', { email: 'is your own account' }), 'account_not_found'],
  means: { 400: 'The body is wrong, or the account is your own.', 404: 'There is no such account.' },
  cli: 'waypost admin suspend-account --email ada@example.org --reason "Its links lead to a scam."',
  handle: async ({ caller, params, body }, deps) =>
    presentAccount(await suspendAccount(deps, params.email, body.reason, actorOf(caller))),
});

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
