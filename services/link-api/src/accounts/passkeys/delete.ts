import type { Actor } from '@waypost/domain';
import type { PasskeyDeps } from './answered-challenge.ts';

/** Throws `passkey_not_found`. */
export function deletePasskey(
  deps: Pick<PasskeyDeps, 'passkeys'>,
  accountId: string,
  id: string,
  by: Actor,
): Promise<void> {
  return deps.passkeys.delete(id, accountId, (passkey) => [
    { by, action: 'passkey.deleted', subject: passkey.id, accountId, detail: passkey.name },
  ]);
}
