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
  summary: 'Send a delivery again',
  description: `The same message with the same id, tried for a day like a new one. ${REQUESTS_LIMIT}`,
  params: {
    webhook: webhookId,
    delivery: inPath(ID_MAX, 'The id of a delivery of this webhook.', MESSAGE),
  },
  answers: {
    200: { means: 'The message is on its way.', schema: deliveryBody, examples: { Pending: PENDING } },
  },
  errors: ['webhook_disabled', 'delivery_pending', 'webhook_not_found', 'delivery_not_found', 'too_many_attempts'],
  means: {
    400: 'The webhook is switched off, or the delivery is pending.',
    404: 'There is no such webhook of yours, or no such delivery of it.',
    429: 'Too many tests and replays. Wait for `Retry-After`.',
  },
  cli: `waypost webhooks replay ${ID} ${MESSAGE}`,
  handle: async ({ caller, params }, deps: WebhooksPorts) =>
    presentDelivery(await replayDelivery(deps, caller.accountId, params)),
});
