import Joi from 'joi';
import { aboutAccount } from '../audit/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { named, nullable } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { emailParam } from './accounts.schema.ts';
import { changeOfAccount } from './audited.ts';
import type { AccountsPorts } from './ports.ts';

const byDefault = 'Links that the account may create per hour. Null: the default of this installation.';

export const setLimitEndpoint = endpoint({
  id: 'setLimit',
  method: 'PUT',
  path: '/admin/accounts/:email/limit',
  scope: 'admin',
  audited: changeOfAccount('account.limit_set'),
  summary: 'Set the limit of an account',
  description: 'Sets how many links an account may create per hour. The next request uses the new limit.',
  params: { email: emailParam },
  body: input(
    { creations_per_hour: nullable(Joi.number().integer().min(0).max(1_000_000_000)).description(byDefault) },
    'Limit',
    'The limit to set.',
  ),
  examples: { 'Higher limit': { creations_per_hour: 1000 }, 'Default limit': { creations_per_hour: null } },
  answers: {
    200: {
      means: 'The limit was set.',
      schema: named('AccountLimit', 'The limit of an account.', {
        email: Joi.string(),
        creations_per_hour: nullable(Joi.number().integer()).description(byDefault),
      }),
      examples: { Raised: { email: 'ada@example.org', creations_per_hour: 1000 } },
    },
  },
  errors: [wrong('Missing limit', { creations_per_hour: 'is required' }), 'account_not_found'],
  means: { 400: 'The request body is invalid.', 404: 'The account was not found.' },
  cli: 'waypost admin set-limit --email ada@example.org --creations-per-hour 1000',
  handle: async ({ caller, params, body }, deps: AccountsPorts) => {
    const { creations_per_hour } = body;
    const { email } = await deps.accounts.setLimit(params.email, creations_per_hour, ({ id }) => [
      aboutAccount(actorOf(caller), 'account.limit_set', id, `creations_per_hour: ${creations_per_hour ?? 'default'}`),
    ]);
    return { email, creations_per_hour };
  },
});
