import { endpoint } from '../platform/endpoint.ts';
import { inPath } from '../platform/fields.ts';
import type { WebhooksPorts } from './ports.ts';
import { replayDelivery } from './replay-delivery.ts';
import { REQUESTS_LIMIT } from './requests.ts';
import {
  CHANGE,
  deliveryBody,
  ID,
  ID_MAX,
  MESSAGE,
  ONE,
  PENDING,
  presentDelivery,
  webhookId,
} from './webhooks.schema.ts';

export const replayWebhookDeliveryEndpoint = endpoint({
  ...ONE,
  ...CHANGE,
  id: 'replayWebhookDelivery',
  method: 'POST',
  path: '/webhooks/:webhook/deliveries/:delivery/replay',
  summary: 'Replay a delivery',
  description: `Sends the same message again, with the same ID. It is retried for a day, like a new message. ${REQUESTS_LIMIT}`,
  params: {
    webhook: webhookId,
    delivery: inPath(ID_MAX, 'The ID of a delivery of this webhook.', MESSAGE),
  },
  answers: {
    200: { means: 'The delivery is queued.', schema: deliveryBody, examples: { Pending: PENDING } },
  },
  errors: ['webhook_disabled', 'delivery_pending', 'webhook_not_found', 'delivery_not_found', 'too_many_attempts'],
  means: {
    400: 'The webhook is disabled, or the delivery is still pending.',
    404: 'The webhook or the delivery was not found.',
    429: 'Too many tests and replays. Retry after `Retry-After` seconds.',
  },
  cli: `waypost webhooks replay ${ID} ${MESSAGE}`,
  handle: async ({ caller, params }, deps: WebhooksPorts) =>
    presentDelivery(await replayDelivery(deps, caller.accountId, params)),
});
