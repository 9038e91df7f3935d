import { hasCode } from '@waypost/domain';
import Joi from 'joi';
import { actorOf } from '../platform/caller.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { named, nullable, optional, time, uuid } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { EMAIL_SCHEMA, newPassword } from './accounts.schema.ts';
import { createAccount } from './accounts.ts';
import type { AccountsPorts } from './ports.ts';

export const createAccountEndpoint = endpoint({
  id: 'createAccount',
  method: 'POST',
  path: '/admin/accounts',
  scope: 'admin',
  proof: true,
  audited: {
    action: 'account.created',
    // Of an account that exists, the address is noted: deleting the account erases it.
    refused: ({ body }, error) => ({ subject: hasCode(error, 'account_exists') ? (body?.email ?? '') : '' }),
  },
  summary: 'Create an account',
  description:
    'Creates an account. With `sign_in_link`, the response has a link by which its owner signs in and sets a password. The link works once and expires after one hour.',
  body: input(
    {
      email: Joi.string()
        .meta(EMAIL_SCHEMA)
        .description('The e-mail address of the account. It must be unique; upper and lower case are the same.'),
      admin: optional(nullable(Joi.boolean())).description('Whether the account is an administrator. Default: false.'),
      sign_in_link: optional(nullable(Joi.boolean())).description('Whether to create a sign-in link. Default: false.'),
      password: optional(newPassword),
    },
    'NewAccount',
    'The account to create.',
  ),
  examples: { 'With a sign-in link': { email: 'ada@example.org', sign_in_link: true } },
  answers: {
    201: {
      means: 'The account was created.',
      schema: named('CreatedAccount', 'The created account.', {
        id: uuid,
        email: Joi.string(),
        admin: Joi.boolean(),
        sign_in_url: nullable(Joi.string()).description(
          'The sign-in link. It is a secret and is shown only once. Null unless you requested one.',
        ),
        expires_at: nullable(time).description('When the sign-in link expires. Null if there is none.'),
      }),
      examples: {
        'With a sign-in link': {
          id: '0d7f0f5c-6f0b-4a55-9a43-5b0a5d1c7a10',
          email: 'ada@example.org',
          admin: false,
          sign_in_url: '{base_url}/sign-in/…',
          expires_at: '2026-11-21T10:30:00.000Z',
        },
      },
    },
  },
  errors: [wrong('Invalid e-mail address', { email: 'must be an e-mail address' }), 'account_exists'],
  means: { 400: 'The request body is invalid.', 409: 'An account with this e-mail address already exists.' },
  cli: 'waypost admin create-account --email ada@example.org',
  handle: async ({ caller, body }, deps: AccountsPorts) => {
    const { sign_in_link: signInLink, password } = body;
    const account = { email: body.email, admin: body.admin ?? false, signInLink: signInLink ?? false, password };
    const created = await createAccount(deps, account, actorOf(caller));
    const { id, email, admin, sign_in_url = null, expires_at = null } = created;
    return { id, email, admin, sign_in_url, expires_at };
  },
});
