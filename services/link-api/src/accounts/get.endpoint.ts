import { accountGone, SCOPES } from '@waypost/domain';
import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, oneOf, time, whole } from '../platform/fields.ts';
import type { AccountsPorts } from './ports.ts';

export const getAccountEndpoint = endpoint({
  id: 'getAccount',
  method: 'GET',
  path: '/account',
  scope: 'any',
  summary: 'Read your account',
  description: 'The account of the key or the session, and what is left of its quota.',
  answers: {
    200: {
      means: 'The account.',
      schema: named('Account', 'An account.', {
        email: Joi.string(),
        admin: Joi.boolean().description('Whether it is an administrator of this Waypost.'),
        has_password: Joi.boolean(),
        scopes: list(oneOf(SCOPES)).description('Of the key or the session that asks.'),
        redirect_base_url: Joi.string().description('Where short links are served.'),
        quota: named('AccountQuota', 'Links of the current hour.', {
          limit: whole.description('Links that may be made per hour.'),
          used: whole.description('Links made in the current hour.'),
          resets_at: time.description('When the current hour ends; with none open, an hour from now.'),
        }),
      }),
      examples: {
        'An account': {
          email: 'ada@example.org',
          admin: false,
          has_password: true,
          scopes: ['read', 'write'],
          redirect_base_url: '{redirect_base_url}',
          quota: { limit: 300, used: 12, resets_at: '2026-11-21T10:15:00.000Z' },
        },
      },
    },
  },
  handle: async ({ caller, quota }, deps: AccountsPorts) => {
    const account = await deps.accounts.credentials({ id: caller.accountId });
    if (account === undefined) throw accountGone();
    const { limit, used, resetAt } = quota();
    return {
      email: account.email,
      admin: account.admin,
      has_password: account.passwordHash !== null,
      scopes: caller.scopes,
      redirect_base_url: deps.redirectBaseUrl,
      quota: { limit, used, resets_at: resetAt.toISOString() },
    };
  },
});
