import { DELIVERY_STATES, WEBHOOK_LIMITS } from '@waypost/domain';
import Joi from 'joi';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { list, named, nullable, oneOf, optional, text } from '../platform/fields.ts';
import { DELIVERIES_PER_PAGE, listDeliveries } from './list-deliveries.ts';
import type { WebhooksPorts } from './ports.ts';
import { DELIVERY, deliveryBody, ID, MESSAGE, ONE, presentDelivery, READ } from './webhooks.schema.ts';

export const listWebhookDeliveriesEndpoint = endpoint({
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
});
