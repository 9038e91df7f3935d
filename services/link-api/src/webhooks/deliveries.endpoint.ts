import Joi from 'joi';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { inPath, list, named, nullable, oneOf, optional, text } from '../platform/fields.ts';
import type { WebhooksPorts } from './ports.ts';
import { DELIVERY_STATES, WEBHOOK_LIMITS } from './webhook.ts';
import {
  CHANGE,
  DELIVERY,
  deliveryBody,
  ID,
  ID_MAX,
  MESSAGE,
  noSuch,
  ONE,
  PENDING,
  presentDelivery,
  READ,
  webhookId,
} from './webhooks.schema.ts';
import { DELIVERIES_PER_PAGE, listDeliveries, REQUESTS_LIMIT, replayDelivery, testWebhook } from './webhooks.ts';

export const deliveryEndpoints = [
  endpoint({
    ...ONE,
    ...CHANGE,
    id: 'testWebhook',
    method: 'POST',
    path: '/webhooks/:webhook/test',
    summary: 'Test a webhook',
    description: `Sends a message of the type \`webhook.test\`, once. Its delivery tells what the receiver answered. ${REQUESTS_LIMIT}`,
    answers: {
      201: {
        means: 'The message is on its way.',
        schema: deliveryBody,
        examples: { Pending: { ...PENDING, type: 'webhook.test' } },
      },
    },
    errors: ['webhook_disabled', 'webhook_not_found', 'too_many_attempts'],
    means: {
      400: 'The webhook is switched off.',
      ...noSuch,
      429: 'Too many tests and replays. Wait for `Retry-After`.',
    },
    cli: `waypost webhooks test ${ID}`,
    handle: async ({ caller, params }, deps: WebhooksPorts) =>
      presentDelivery(await testWebhook(deps, caller.accountId, params.webhook)),
  }),
  endpoint({
    ...ONE,
    ...READ,
    id: 'listWebhookDeliveries',
    method: 'GET',
    path: '/webhooks/:webhook/deliveries',
    summary: 'List the deliveries of a webhook',
    description: `The newest first, ${DELIVERIES_PER_PAGE} at a time. The log goes back 30 days, and has the newest ${WEBHOOK_LIMITS.logMessages} messages of clicks and as many others.`,
    query: {
      state: optional(oneOf(DELIVERY_STATES)).description('Only deliveries of this state.'),
      before: optional(text)
        .meta({ pattern: '^msg_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
        .description('Only deliveries from before the one of this id.')
        .example(MESSAGE),
    },
    answers: {
      200: {
        means: 'Some of the deliveries.',
        schema: named('WebhookDeliveryPage', 'Some deliveries of a webhook.', {
          data: list(deliveryBody),
          next: nullable(Joi.string()).description('For `before`, to go on; null at the end.'),
        }),
        examples: { 'One delivery': { data: [DELIVERY], next: null } },
      },
    },
    errors: [wrong('Not an id', { before: 'is not the id of a delivery' }), 'webhook_not_found'],
    cli: `waypost webhooks deliveries ${ID} --state failed`,
    handle: async ({ caller, params, query }, deps: WebhooksPorts) => {
      const page = await listDeliveries(deps, caller.accountId, params.webhook, query);
      const data = page.map(presentDelivery);
      return { data, next: data.length < DELIVERIES_PER_PAGE ? null : data.at(-1)!.id };
    },
  }),
  endpoint({
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
  }),
];
