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
  summary: 'Make an account',
  description:
    'With `sign_in_link` the answer has a link to sign in with: it works once, for one hour, and its owner may set a password then.',
  body: input(
    {
      email: Joi.string()
        .meta(EMAIL_SCHEMA)
        .description('The e-mail address: not that of another account. Capital and small letters are the same.'),
      admin: optional(nullable(Joi.boolean())).description(
        'An administrator of this Waypost; false unless it is given.',
      ),
      sign_in_link: optional(nullable(Joi.boolean())).description('False unless it is given.'),
      password: optional(newPassword),
    },
    'NewAccount',
    'An account to be made.',
  ),
  examples: { 'With a way in': { email: 'ada@example.org', sign_in_link: true } },
  answers: {
    201: {
      means: 'The account was made.',
      schema: named('CreatedAccount', 'A new account.', {
        id: uuid,
        email: Joi.string(),
        admin: Joi.boolean(),
        sign_in_url: nullable(Joi.string()).description(
          'Shown this once, if it was asked for: a secret until it is used.',
        ),
        expires_at: nullable(time).description('Of the link.'),
      }),
      examples: {
        'With a way in': {
          id: '0d7f0f5c-6f0b-4a55-9a43-5b0a5d1c7a10',
          email: 'ada@example.org',
          admin: false,
          sign_in_url: '{base_url}/sign-in/…',
          expires_at: '2026-11-21T10:30:00.000Z',
        },
      },
    },
  },
  errors: [wrong('No address', { email: 'is not an e-mail address' }), 'account_exists'],
  means: { 400: 'The body is wrong.', 409: 'There is an account with this address.' },
  cli: 'waypost admin create-account --email ada@example.org',
  handle: async ({ caller, body }, deps: AccountsPorts) => {
    const { sign_in_link: signInLink, password } = body;
    const account = { email: body.email, admin: body.admin ?? false, signInLink: signInLink ?? false, password };
    const created = await createAccount(deps, account, actorOf(caller));
    const { id, email, admin, sign_in_url = null, expires_at = null } = created;
    return { id, email, admin, sign_in_url, expires_at };
  },
});
