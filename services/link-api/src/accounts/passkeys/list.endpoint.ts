import { LIMITS } from '@waypost/domain';
import { endpoint } from '../../platform/endpoint.ts';
import { list, named, whole } from '../../platform/fields.ts';
import type { AccountsPorts } from '../ports.ts';
import { PASSKEY, passkeyBody, presentPasskey } from './passkeys.schema.ts';

export const listPasskeysEndpoint = endpoint({
  id: 'listPasskeys',
  method: 'GET',
  path: '/account/passkeys',
  scope: 'read',
  session: 'needed',
  summary: 'List your passkeys',
  description: 'Returns all passkeys of your account, newest first.',
  answers: {
    200: {
      means: 'The passkeys.',
      schema: named('PasskeyList', 'The passkeys of an account.', {
        data: list(passkeyBody),
        limit: whole.description('The maximum number of passkeys per account.'),
      }),
      examples: { 'One passkey': { data: [PASSKEY], limit: LIMITS.passkeysPerAccount } },
    },
  },
  handle: async ({ caller }, deps: AccountsPorts) => {
    const passkeys = await deps.passkeys.list(caller.accountId);
    return { data: passkeys.map(presentPasskey), limit: LIMITS.passkeysPerAccount };
  },
});
