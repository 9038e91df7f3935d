import type { WebhookDelivery } from '@waypost/domain';
import { webhookBody } from './bodies.ts';
import { countRequest, type RequestDeps } from './requests.ts';
import type { Webhooks } from './webhooks.port.ts';

/** Throws `webhook_not_found`, `webhook_disabled` and `too_many_attempts`. */
export async function sendTest(
  deps: RequestDeps & { readonly webhooks: Pick<Webhooks, 'queue'> },
  accountId: string,
  id: string,
): Promise<WebhookDelivery> {
  await countRequest(deps, accountId, id);
  const at = deps.now();
  const body = webhookBody('webhook.test', at.toISOString(), { webhook: id });
  const delivery = await deps.webhooks.queue(id, { type: 'webhook.test', body, at });
  deps.webhooking.emit('message');
  return delivery;
}
