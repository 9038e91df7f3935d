import { endpoint, wrong } from '../platform/endpoint.ts';
import { optional, secret } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { done, newPassword } from './accounts.schema.ts';
import { changePassword } from './change-password.ts';
import type { AccountsPorts } from './ports.ts';

export const changePasswordEndpoint = endpoint({
  id: 'changePassword',
  method: 'PUT',
  path: '/account/password',
  scope: 'write',
  session: 'needed',
  summary: 'Change your password',
  description: 'Ends all other sessions of the account.',
  body: input(
    {
      current_password: optional(secret).description(
        'Not needed by an account without a password, and in the first 15 minutes after a sign-in by link.',
      ),
      new_password: newPassword,
    },
    'PasswordChange',
    'A new password.',
  ),
  examples: { 'A new one': { current_password: 'the one until now', new_password: 'a longer one than that' } },
  answers: done('It is changed.'),
  errors: [wrong('The wrong one', { current_password: 'is wrong' }), 'too_many_attempts'],
  means: { 400: 'The body or the current password is wrong.', 429: 'Too many attempts. Wait for `Retry-After`.' },
  handle: async ({ caller, body, signal }, deps: AccountsPorts) => {
    await changePassword(deps, caller, { current: body.current_password, replacement: body.new_password }, signal);
    return { done: true };
  },
});
