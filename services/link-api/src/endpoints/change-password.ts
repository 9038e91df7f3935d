import Joi from 'joi';
import { changePassword } from '../use-cases/sign-in.ts';
import { done } from './account-bodies.ts';
import { endpoint, wrong } from './endpoint.ts';
import { optional } from './fields.ts';
import { input } from './input.ts';

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
      current_password: optional(Joi.string()).description(
        'Not needed by an account without a password, and in the first 15 minutes after a sign-in by link.',
      ),
      new_password: Joi.string().description('12 to 1000 characters.'),
    },
    'PasswordChange',
    'A new password.',
  ),
  examples: { 'A new one': { current_password: 'the one until now', new_password: 'a longer one than that' } },
  answers: done('It is changed.'),
  errors: [wrong('The wrong one', { current_password: 'is wrong' }), 'too_many_attempts'],
  means: { 400: 'The body or the current password is wrong.', 429: 'Too many attempts. Wait for `Retry-After`.' },
  handle: async ({ caller, body, gone }, deps) => {
    await changePassword(deps, caller, { current: body.current_password, wanted: body.new_password }, gone);
    return { done: true };
  },
});
