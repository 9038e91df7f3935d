import type { Actor } from '@waypost/domain';
import type { AuditNote } from '../audit/index.ts';
import type { ApiKeys, DeletedKey, WebhooksOfKey } from './keys.port.ts';

/** The next request with the key is refused. Throws `key_not_found`, also for a key of another account. */
export function deleteApiKey(
  deps: { readonly keys: Pick<ApiKeys, 'delete'> },
  id: string,
  from: { readonly accountId: string | undefined; readonly webhooks?: WebhooksOfKey | undefined },
  by: Actor,
): Promise<DeletedKey> {
  const webhooks = from.webhooks ?? 'keep';
  return deps.keys.delete(id, { ...from, webhooks }, ({ id: key, accountId, name, webhooks: its }) => [
    { by, action: 'key.deleted', subject: key, accountId, detail: name },
    ...(webhooks === 'keep' ? [] : its.filter(({ enabled }) => enabled)).map(
      ({ id: subject, url }): AuditNote => ({
        by,
        action: 'webhook.changed',
        subject,
        accountId,
        detail: new URL(url).host,
      }),
    ),
  ]);
}
