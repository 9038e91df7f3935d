import { ACCOUNT, accountDetails, changeOfAccount, emailParam, presentAccount, SUSPENDED } from '../accounts/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { optional, reasonField } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import type { ModerationPorts } from './ports.ts';
import { resumeAccount, suspendAccount } from './suspend.ts';

export const suspendAccountEndpoint = endpoint({
  id: 'suspendAccount',
  method: 'PUT',
  path: '/admin/accounts/:email/suspension',
  scope: 'admin',
  audited: changeOfAccount('account.suspended'),
  summary: 'Suspend an account',
  description:
    'Its keys and sessions are answered with 403 from the next request on. Its links stay as they are: take down those that must stop. A second suspension changes the reason alone.',
  params: { email: emailParam },
  body: input({ reason: optional(reasonField).description('The owner reads it. One line.') }, 'Suspension', 'Why.'),
  examples: { 'A scam': { reason: 'Its links lead to a scam.' } },
  answers: { 200: { means: 'The account as it is now.', schema: accountDetails, examples: { Suspended: SUSPENDED } } },
  errors: [wrong('Your own', { email: 'is your own account' }), 'account_not_found'],
  means: { 400: 'The body is wrong, or the account is your own.', 404: 'There is no such account.' },
  cli: 'waypost admin suspend-account --email ada@example.org --reason "Its links lead to a scam."',
  handle: async ({ caller, params, body }, deps: ModerationPorts) =>
    presentAccount(await suspendAccount(deps, params.email, body.reason ?? null, actorOf(caller))),
});

export const resumeAccountEndpoint = endpoint({
  id: 'resumeAccount',
  method: 'DELETE',
  path: '/admin/accounts/:email/suspension',
  scope: 'admin',
  audited: changeOfAccount('account.resumed'),
  summary: 'Lift a suspension',
  description: 'Its keys and sessions work again. An account that is not suspended stays as it is.',
  params: { email: emailParam },
  answers: { 200: { means: 'The account as it is now.', schema: accountDetails, examples: { Resumed: ACCOUNT } } },
  errors: ['account_not_found'],
  means: { 404: 'There is no such account.' },
  cli: 'waypost admin resume-account --email ada@example.org',
  handle: async ({ caller, params }, deps: ModerationPorts) =>
    presentAccount(await resumeAccount(deps, params.email, actorOf(caller))),
});
