import Joi from 'joi';
import { changeOfAccount, EMAIL_SCHEMA, emailParam } from '../accounts/index.ts';
import { actorOf } from '../platform/caller.ts';
import { endpoint, unknownParameter, wrong } from '../platform/endpoint.ts';
import { named, optional, secret, time } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { type DeletedAccount, deleteAccount, deleteOwnAccount } from './delete.ts';
import type { PrivacyPorts } from './ports.ts';

const answers = {
  200: {
    means:
      'The account was deleted. Its links stop redirecting within seconds, and their clicks are deleted within an hour.',
    schema: named('DeletedAccount', 'The deleted account.', { email: Joi.string(), deleted_at: time }),
    examples: { Deleted: { email: 'ada@example.org', deleted_at: '2026-11-21T10:15:00.000Z' } },
  },
};

const present = ({ email, deletedAt }: DeletedAccount) => ({ email, deleted_at: deletedAt.toISOString() });

const WHAT_GOES =
  'Permanently deletes the account with its API keys, sessions, passkeys and webhooks. Its links stop redirecting, their slugs stay reserved, and their destinations, tags and clicks are erased. This cannot be undone.';

export const deleteOwnAccountEndpoint = endpoint({
  id: 'deleteAccount',
  method: 'DELETE',
  path: '/account',
  scope: 'write',
  session: 'needed',
  summary: 'Delete your account',
  description: `${WHAT_GOES} If the account has no password, you must have signed in within the last 15 minutes.`,
  body: input(
    {
      email: Joi.string().meta(EMAIL_SCHEMA).description('The e-mail address of your account, as a confirmation.'),
      current_password: optional(secret).description('The current password. Required if the account has one.'),
    },
    'AccountDeletion',
    'The confirmation of the deletion.',
  ),
  examples: { 'With a password': { email: 'ada@example.org', current_password: 'correct horse battery staple' } },
  answers,
  errors: [
    wrong('Wrong password', { current_password: 'is wrong' }),
    wrong('Wrong e-mail address', { email: 'must be the e-mail address of this account' }),
    'too_many_attempts',
  ],
  means: {
    400: 'The request body, the e-mail address or the password is wrong.',
    429: 'Too many attempts. Retry after `Retry-After` seconds.',
  },
  handle: async ({ caller, body, signal }, deps: PrivacyPorts) =>
    present(await deleteOwnAccount(deps, caller, { email: body.email, current: body.current_password }, signal)),
});

export const deleteAccountEndpoint = endpoint({
  id: 'deleteAnyAccount',
  method: 'DELETE',
  path: '/admin/accounts/:email',
  scope: 'admin',
  audited: changeOfAccount('account.deleted'),
  summary: 'Delete an account',
  description: WHAT_GOES,
  params: { email: emailParam },
  answers,
  errors: [unknownParameter, wrong('Your own account', { email: 'must not be your own account' }), 'account_not_found'],
  means: { 400: 'A parameter is invalid, or the account is your own.', 404: 'The account was not found.' },
  cli: 'waypost admin delete-account --email ada@example.org --yes',
  handle: async ({ caller, params }, deps: PrivacyPorts) =>
    present(await deleteAccount(deps, params.email, actorOf(caller))),
});
