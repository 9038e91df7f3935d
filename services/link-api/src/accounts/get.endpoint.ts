import { SCOPES } from '@waypost/domain';
import Joi from 'joi';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, oneOf, time, whole } from '../platform/fields.ts';
import type { AccountsPorts } from './ports.ts';

export const getAccountEndpoint = endpoint({
  id: 'getAccount',
  method: 'GET',
  path: '/account',
  scope: 'any',
  summary: 'Get your account',
  description: 'Returns the account of the API key or session, with its quota.',
  answers: {
    200: {
      means: 'The account.',
      schema: named('Account', 'Your account.', {
        email: Joi.string(),
        admin: Joi.boolean().description('Whether the account is an administrator.'),
        has_password: Joi.boolean(),
        scopes: list(oneOf(SCOPES)).description('The scopes of the API key or session that sent the request.'),
        redirect_base_url: Joi.string().description('The base URL of short URLs.'),
        quota: named('AccountQuota', 'The quota of link creations in the current window of one hour.', {
          limit: whole.description('Links that the account may create per hour.'),
          used: whole.description('Links created in the current window.'),
          resets_at: time.description('When the current window ends. If none is open: one hour from now.'),
        }),
      }),
      examples: {
        Account: {
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
    const account = await deps.accounts.own(caller.accountId);
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
