import { DomainError, type WebhookDelivery } from '@waypost/domain';
import { deliveryId } from './message-id.ts';
import { countRequest, type RequestDeps } from './requests.ts';
import type { Webhooks } from './webhooks.port.ts';

/**
 * Throws `webhook_not_found`, `webhook_disabled`, `delivery_not_found`, `delivery_pending` and `too_many_attempts`.
 */
export async function replayDelivery(
  deps: RequestDeps & { readonly webhooks: Pick<Webhooks, 'replay' | 'delivery'> },
  accountId: string,
  { webhook, delivery }: { readonly webhook: string; readonly delivery: string },
): Promise<WebhookDelivery> {
  await countRequest(deps, accountId, webhook);
  const id = deliveryId(delivery);
  const replayed = id && (await deps.webhooks.replay(webhook, id, deps.now()));
  if (!replayed) {
    if (id && (await deps.webhooks.delivery(webhook, id)))
      throw new DomainError(
        'delivery_pending',
        'This delivery is still pending. Only a completed delivery can be replayed.',
      );
    throw new DomainError('delivery_not_found', 'This webhook has no delivery with this ID.');
  }
  deps.webhooking.emit('message');
  return replayed;
}
