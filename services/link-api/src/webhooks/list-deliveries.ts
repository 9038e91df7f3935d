import type { DeliveryState, WebhookDelivery } from '@waypost/domain';
import { invalid } from '../platform/checks.ts';
import { getWebhook } from './get.ts';
import { deliveryId } from './message-id.ts';
import type { Webhooks } from './webhooks.port.ts';

export const DELIVERIES_PER_PAGE = 50;

/** Throws `webhook_not_found`, and `validation_failed` if `before` is not the id of a delivery. */
export async function listDeliveries(
  deps: { readonly webhooks: Pick<Webhooks, 'find' | 'deliveries'> },
  accountId: string,
  id: string,
  { state, before }: { readonly state?: DeliveryState; readonly before?: string },
): Promise<readonly WebhookDelivery[]> {
  await getWebhook(deps, accountId, id);
  const from = before === undefined ? undefined : deliveryId(before);
  if (before !== undefined && from === undefined) throw invalid({ before: 'must be the ID of a delivery' });
  return deps.webhooks.deliveries(id, { state, before: from, limit: DELIVERIES_PER_PAGE });
}
