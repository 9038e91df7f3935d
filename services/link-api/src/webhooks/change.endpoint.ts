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
  summary: 'Update a webhook',
  description:
    'Replaces the URL and events of a webhook, and enables or disables it. If the host of the URL changes, the webhook gets a new secret, and the old one stops working immediately. Only this response contains the new secret.',
  body: input(
    {
      url: urlField,
      events: eventsField,
      enabled: Joi.boolean().description(
        'Whether the webhook is enabled. Events that occur while it is disabled are never sent.',
      ),
    },
    'WebhookChange',
    'The new state of the webhook.',
  ),
  examples: { 'Enable again': { url: WEBHOOK.url, events: WEBHOOK.events, enabled: true } },
  answers: {
    200: {
      means: 'The updated webhook.',
      schema: named('ChangedWebhook', 'The updated webhook.', {
        ...webhookFields,
        secret: nullable(secretField).description(
          'The new secret. It is shown only once. Null if the secret did not change.',
        ),
      }),
      examples: { Updated: { ...WEBHOOK, secret: null }, 'With another host': { ...WEBHOOK, secret: SECRET } },
    },
  },
  errors: [
    wrong('Host not public', { url: 'must have a public host name' }),
    'administrator_needed',
    'webhook_not_found',
  ],
  means: { 400: 'The request body is invalid.', ...noSuch },
  cli: `waypost webhooks enable ${ID}`,
  handle: async ({ caller, params, body }, deps: WebhooksPorts) => {
    const { secret, ...webhook } = await changeWebhook(deps, caller, params.webhook, body);
    return { ...presentWebhook(webhook), secret };
  },
});
