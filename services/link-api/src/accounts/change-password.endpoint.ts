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
  description: 'Changes the password of your account and ends all its other sessions.',
  body: input(
    {
      current_password: optional(secret).description(
        'The current password. Optional if the account has no password, and for 15 minutes after a sign-in by link.',
      ),
      new_password: newPassword,
    },
    'PasswordChange',
    'A change of the password.',
  ),
  examples: {
    'New password': { current_password: 'correct horse battery staple', new_password: 'nine green bottles on a wall' },
  },
  answers: done('The password was changed.'),
  errors: [wrong('Wrong password', { current_password: 'is wrong' }), 'too_many_attempts'],
  means: {
    400: 'The request body is invalid, or the current password is wrong.',
    429: 'Too many attempts. Retry after `Retry-After` seconds.',
  },
  handle: async ({ caller, body, signal }, deps: AccountsPorts) => {
    await changePassword(deps, caller, { current: body.current_password, replacement: body.new_password }, signal);
    return { done: true };
  },
});
