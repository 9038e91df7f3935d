import type { Actor } from '@waypost/domain';
import type { ApiKeys, DeletedKey } from './keys.port.ts';

/** The next request with the key is refused. Throws `key_not_found`, also for a key of another account. */
export function deleteApiKey(
  deps: { readonly keys: Pick<ApiKeys, 'delete'> },
  id: string,
  accountId: string | undefined,
  by: Actor,
): Promise<DeletedKey> {
  return deps.keys.delete(id, accountId, (key) => [
    { by, action: 'key.deleted', subject: key.id, accountId: key.accountId, detail: key.name },
  ]);
}
