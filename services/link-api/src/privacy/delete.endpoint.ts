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
    means: 'It is deleted. Its links stop within seconds, their clicks are deleted within the hour.',
    schema: named('DeletedAccount', 'An account that was deleted.', { email: Joi.string(), deleted_at: time }),
    examples: { Deleted: { email: 'ada@example.org', deleted_at: '2026-11-21T10:15:00.000Z' } },
  },
};

const present = ({ email, deletedAt }: DeletedAccount) => ({ email, deleted_at: deletedAt.toISOString() });

const WHAT_GOES =
  'Keys, sessions, passkeys and webhooks go at once. Every link stops for good, its slug stays reserved, and its destination, tags and clicks are erased. Nobody can undo it.';

export const deleteOwnAccountEndpoint = endpoint({
  id: 'deleteAccount',
  method: 'DELETE',
  path: '/account',
  scope: 'write',
  session: 'needed',
  summary: 'Delete your account',
  description: `${WHAT_GOES} An account without a password is deleted within 15 minutes after a sign-in. See docs/privacy.md.`,
  body: input(
    {
      email: Joi.string()
        .meta(EMAIL_SCHEMA)
        .description('Your own e-mail address, so that nothing is deleted by mistake.'),
      current_password: optional(secret).description('Needed if the account has a password.'),
    },
    'AccountDeletion',
    'What makes sure that you mean it.',
  ),
  examples: { 'For good': { email: 'ada@example.org', current_password: 'the one of now' } },
  answers,
  errors: [
    wrong('The wrong password', { current_password: 'is wrong' }),
    wrong('Another address', { email: 'is not that of this account' }),
    'too_many_attempts',
  ],
  means: { 400: 'The body, the address or the password is wrong.', 429: 'Too many attempts. Wait for `Retry-After`.' },
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
  errors: [unknownParameter, wrong('Your own', { email: 'is your own account' }), 'account_not_found'],
  means: { 400: 'A parameter is wrong, or the account is your own.', 404: 'There is no such account.' },
  cli: 'waypost admin delete-account --email ada@example.org --yes',
  handle: async ({ caller, params }, deps: PrivacyPorts) =>
    present(await deleteAccount(deps, params.email, actorOf(caller))),
});
