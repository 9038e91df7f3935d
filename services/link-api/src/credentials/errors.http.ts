import type { ErrorRows } from '../platform/http/errors.ts';

export const credentialErrors = {
  credential_not_found: [
    404,
    'Credential not found',
    'The account has no credential or webhook with one of the IDs in `remove`. Nothing was changed.',
    { 'remove[0]': 'is not a passkey, identity, API key or webhook of this account' },
  ],
} satisfies ErrorRows;
