import { DELIVERY_STATES, WEBHOOK_LIMITS } from '@waypost/domain';
import Joi from 'joi';
import { invalid } from '../platform/checks.ts';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { list, named, nullable, oneOf, optional, text } from '../platform/fields.ts';
import { getWebhook } from './get.ts';
import { deliveryId } from './message-id.ts';
import type { WebhooksPorts } from './ports.ts';
import { DELIVERY, deliveryBody, ID, MESSAGE, ONE, presentDelivery, READ } from './webhooks.schema.ts';

const DELIVERIES_PER_PAGE = 50;
const NO_DELIVERY = 'must be the ID of a delivery';

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
  errors: [wrong('Invalid cursor', { before: NO_DELIVERY }), 'webhook_not_found'],
  cli: `waypost webhooks deliveries ${ID} --state failed`,
  handle: async ({ caller, params, query }, deps: WebhooksPorts) => {
    await getWebhook(deps, caller.accountId, params.webhook);
    const before = query.before === undefined ? undefined : deliveryId(query.before);
    if (query.before !== undefined && before === undefined) throw invalid({ before: NO_DELIVERY });
    const { state } = query;
    const page = await deps.webhooks.deliveries(params.webhook, { state, before, limit: DELIVERIES_PER_PAGE });
    const data = page.map(presentDelivery);
    return { data, next: data.length < DELIVERIES_PER_PAGE ? null : data.at(-1)!.id };
  },
});
