import type { Webhook } from '@waypost/domain';
import { UUID, webhookNotFound } from './checks.ts';
import type { Webhooks } from './webhooks.port.ts';

/** Throws `webhook_not_found`, also for a webhook of another account. */
export async function getWebhook(
  { webhooks }: { readonly webhooks: Pick<Webhooks, 'find'> },
  accountId: string,
  id: string,
): Promise<Webhook> {
  const webhook = UUID.test(id) ? await webhooks.find(accountId, id) : undefined;
  if (webhook === undefined) throw webhookNotFound();
  return webhook;
}
