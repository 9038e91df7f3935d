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
    'Suspends an account. The next request with one of its API keys or sessions returns 403. Its links do not change: take down the harmful ones. Suspending a suspended account changes only the reason.',
  params: { email: emailParam },
  body: input(
    { reason: optional(reasonField).description('The reason, in one line. The owner of the account can read it.') },
    'Suspension',
    'The suspension.',
  ),
  examples: { Scam: { reason: 'Its links lead to a scam.' } },
  answers: { 200: { means: 'The account.', schema: accountDetails, examples: { Suspended: SUSPENDED } } },
  errors: [wrong('Your own account', { email: 'must not be your own account' }), 'account_not_found'],
  means: { 400: 'The request body is invalid, or the account is your own.', 404: 'The account was not found.' },
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
  description:
    'Lifts the suspension of an account. Its API keys and sessions work again. An account that is not suspended does not change.',
  params: { email: emailParam },
  answers: { 200: { means: 'The account.', schema: accountDetails, examples: { Resumed: ACCOUNT } } },
  errors: ['account_not_found'],
  means: { 404: 'The account was not found.' },
  cli: 'waypost admin resume-account --email ada@example.org',
  handle: async ({ caller, params }, deps: ModerationPorts) =>
    presentAccount(await resumeAccount(deps, params.email, actorOf(caller))),
});
