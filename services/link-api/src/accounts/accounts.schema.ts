import Joi from 'joi';
import { CONTROL, inPath, named, nullable, secret, time, uuid } from '../platform/fields.ts';
import type { AccountDetails } from './accounts.port.ts';
import { EMAIL_MAX } from './accounts.ts';
import { PASSWORD_MAX, PASSWORD_MIN } from './passwords.ts';

export const done = (means: string) => ({
  200: { means, schema: named('Done', 'Confirmation.', { done: Joi.boolean() }), examples: { Done: { done: true } } },
});

const EMAIL_CHARACTER = `[^\\s@<>",;${CONTROL}]`;
export const EMAIL_SCHEMA = {
  maxLength: EMAIL_MAX,
  pattern: `^${EMAIL_CHARACTER}{1,64}@${EMAIL_CHARACTER}+\\.[^\\s@.<>",;${CONTROL}]+$`,
};

export const newPassword = secret
  .meta({ minLength: PASSWORD_MIN, maxLength: PASSWORD_MAX })
  .description(`The password: ${PASSWORD_MIN} to ${PASSWORD_MAX} characters.`);

export const emailParam = inPath(2 * EMAIL_MAX, 'The e-mail address of the account.', 'ada@example.org').custom(
  (value: string) => value.replace(/\p{Cc}/gu, '\ufffd'),
);

export const accountDetails = named('AccountDetails', 'An account, as administrators see it.', {
  id: uuid,
  email: Joi.string(),
  admin: Joi.boolean().description('Whether the account is an administrator.'),
  creations_per_hour: nullable(Joi.number().integer()).description(
    'Links that the account may create per hour. Null: the default of this installation.',
  ),
  suspended_at: nullable(time).description('When the account was suspended. Null if it is not suspended.'),
  suspension_reason: nullable(Joi.string()).description(
    'The reason of the suspension, which the owner can read. Null if the account is not suspended.',
  ),
  created_at: time,
});

export const presentAccount = (account: AccountDetails) => ({
  id: account.id,
  email: account.email,
  admin: account.admin,
  creations_per_hour: account.creationsPerHour,
  suspended_at: account.suspendedAt?.toISOString() ?? null,
  suspension_reason: account.suspensionReason,
  created_at: account.createdAt.toISOString(),
});

export const ACCOUNT = {
  id: '0d7f0f5c-6f0b-4a55-9a43-5b0a5d1c7a10',
  email: 'ada@example.org',
  admin: false,
  creations_per_hour: null,
  suspended_at: null,
  suspension_reason: null,
  created_at: '2026-11-20T08:00:00.000Z',
};
export const SUSPENDED = {
  ...ACCOUNT,
  suspended_at: '2026-11-21T10:15:00.000Z',
  suspension_reason: 'Its links lead to a scam.',
};
