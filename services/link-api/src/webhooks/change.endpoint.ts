import Joi from 'joi';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { named, nullable } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { changeWebhook } from './change.ts';
import type { WebhooksPorts } from './ports.ts';
import {
  CHANGE,
  eventsField,
  ID,
  noSuch,
  ONE,
  presentWebhook,
  SECRET,
  secretField,
  urlField,
  WEBHOOK,
  webhookFields,
} from './webhooks.schema.ts';

export const changeWebhookEndpoint = endpoint({
  ...ONE,
  ...CHANGE,
  id: 'changeWebhook',
  proof: true,
  method: 'PUT',
  path: '/webhooks/:webhook',
  summary: 'Change a webhook',
  description:
    'Replaces its address and events, and switches it on or off. With another host it gets a new secret, which is in this answer and nowhere else; the earlier one ends at once.',
  body: input(
    {
      url: urlField,
      events: eventsField,
      enabled: Joi.boolean().description('What happens while it is off is not sent later.'),
    },
    'WebhookChange',
    'A webhook as it should be.',
  ),
  examples: { 'Switched on again': { url: WEBHOOK.url, events: WEBHOOK.events, enabled: true } },
  answers: {
    200: {
      means: 'The webhook as it is now.',
      schema: named('ChangedWebhook', 'A changed webhook.', {
        ...webhookFields,
        secret: nullable(secretField).description('The new secret, shown this once; null if it did not change.'),
      }),
      examples: { Changed: { ...WEBHOOK, secret: null }, 'With another host': { ...WEBHOOK, secret: SECRET } },
    },
  },
  errors: [wrong('Not public', { url: 'must have a public host name' }), 'administrator_needed', 'webhook_not_found'],
  means: { 400: 'The body is wrong.', ...noSuch },
  cli: `waypost webhooks enable ${ID}`,
  handle: async ({ caller, params, body }, deps: WebhooksPorts) => {
    const { secret, ...webhook } = await changeWebhook(deps, caller, params.webhook, body);
    return { ...presentWebhook(webhook), secret };
  },
});
