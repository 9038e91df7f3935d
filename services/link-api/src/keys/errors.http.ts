import type { ErrorRows } from '../platform/http/errors.ts';

export const keyErrors = {
  key_not_found: [
    404,
    'API key not found',
    'There is no active API key with the ID b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44.',
  ],
  too_many_keys: [409, 'Too many API keys', 'An account may have up to 20 active API keys. Delete one first.'],
} satisfies ErrorRows;
