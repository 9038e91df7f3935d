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
  summary: 'List deliveries',
  description: `Returns the deliveries of a webhook, newest first, ${DELIVERIES_PER_PAGE} per page. The log covers 30 days, with up to ${WEBHOOK_LIMITS.logMessages} \`link.clicked\` messages and up to ${WEBHOOK_LIMITS.logMessages} others.`,
  query: {
    state: optional(oneOf(DELIVERY_STATES)).description('Only deliveries in this state.'),
    before: optional(text)
      .meta({ pattern: '^msg_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })
      .description('The cursor: `next` of the previous page. Returns only older deliveries.')
      .example(MESSAGE),
  },
  answers: {
    200: {
      means: 'A page of deliveries.',
      schema: named('WebhookDeliveryPage', 'A page of deliveries.', {
        data: list(deliveryBody),
        next: nullable(Joi.string()).description(
          'The cursor to pass as `before` for the next page. Null on the last page.',
        ),
      }),
      examples: { 'One delivery': { data: [DELIVERY], next: null } },
    },
  },
  errors: [wrong('Invalid cursor', { before: 'must be the ID of a delivery' }), 'webhook_not_found'],
  cli: `waypost webhooks deliveries ${ID} --state failed`,
  handle: async ({ caller, params, query }, deps: WebhooksPorts) => {
    const page = await listDeliveries(deps, caller.accountId, params.webhook, query);
    const data = page.map(presentDelivery);
    return { data, next: data.length < DELIVERIES_PER_PAGE ? null : data.at(-1)!.id };
  },
});
