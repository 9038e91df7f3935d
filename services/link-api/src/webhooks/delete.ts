import type { Actor } from '@waypost/domain';
import { noted, UUID, webhookNotFound } from './checks.ts';
import type { Webhooks } from './webhooks.port.ts';

/** Throws `webhook_not_found`, also for a webhook of another account. */
export async function deleteWebhook(
  { webhooks }: { readonly webhooks: Pick<Webhooks, 'delete'> },
  accountId: string,
  id: string,
  by: Actor,
): Promise<void> {
  if (!UUID.test(id) || !(await webhooks.delete(accountId, id, noted(by, 'webhook.deleted')))) throw webhookNotFound();
}
