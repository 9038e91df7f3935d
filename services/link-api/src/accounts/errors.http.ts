import type { ErrorRows } from '../platform/http/errors.ts';

export const accountErrors = {
  account_not_found: [404, 'Account not found', 'There is no account with the e-mail address ada@example.org.'],
  account_exists: [409, 'Account exists', 'An account with the e-mail address ada@example.org already exists.'],
  credentials_wrong: [401, 'Wrong credentials', 'The e-mail address or the password is wrong.'],
  first_run_over: [
    404,
    'Setup link expired',
    'This setup link has expired. Sign in, or restart Waypost to get a new one.',
  ],
  too_many_passkeys: [409, 'Too many passkeys', 'An account may have up to 10 passkeys. Delete one first.'],
  passkey_exists: [409, 'Passkey exists', 'This passkey already exists.'],
  passkey_not_found: [
    404,
    'Passkey not found',
    'Your account has no passkey with the ID b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44.',
  ],
  identity_refused: [403, 'No provider', 'No OpenID Connect provider is configured.'],
  identity_not_found: [404, 'Identity not found', 'Your account has no identity with the ID b7a5f3a0-….'],
  session_not_found: [404, 'Session not found', 'Your account has no session with this ID.'],
  device_not_found: [404, 'Device not found', 'Your account has no other device with this ID.'],
} satisfies ErrorRows;
