import { EVENTS_OF, WEBHOOK_EVENTS, WEBHOOK_LIMITS, WEBHOOK_SCOPES } from '@waypost/domain';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { named, optional } from '../platform/fields.ts';
import { input } from '../platform/input.ts';
import { createWebhook } from './create.ts';
import type { WebhooksPorts } from './ports.ts';
import {
  CHANGE,
  eventsField,
  presentWebhook,
  SECRET,
  scopeField,
  secretField,
  urlField,
  WEBHOOK,
  webhookFields,
} from './webhooks.schema.ts';

const newWebhook = input(
  {
    url: urlField,
    events: eventsField,
    scope: optional(scopeField).description('The scope of the webhook. Default: `account`.'),
  },
  'NewWebhook',
  'The webhook to create.',
);
/** Tells clients in JSON Schema what the use case checks: no event of another scope. */
const EVENTS_BY_SCOPE = {
  not: {
    anyOf: WEBHOOK_SCOPES.map((scope) => ({
      required: scope === 'account' ? ['events'] : ['events', 'scope'],
      properties: {
        scope: { const: scope },
        events: { contains: { enum: WEBHOOK_EVENTS.filter((event) => !EVENTS_OF[scope].includes(event)) } },
      },
    })),
  },
};

export const createWebhookEndpoint = endpoint({
  ...CHANGE,
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks',
  proof: true,
  summary: 'Create a webhook',
  description: `Creates a webhook, which receives events from now on. Messages are signed as the Standard Webhooks specification defines. Only this response contains the secret. An account may have up to ${WEBHOOK_LIMITS.perAccount} webhooks.`,
  body: { ...newWebhook, schema: newWebhook.schema.meta(EVENTS_BY_SCOPE) },
  examples: {
    'For flags and clicks': { url: WEBHOOK.url, events: WEBHOOK.events },
    'For reports': { url: WEBHOOK.url, events: ['case.opened'], scope: 'installation' },
  },
  answers: {
    201: {
      means: 'The webhook was created.',
      schema: named('CreatedWebhook', 'The created webhook.', { ...webhookFields, secret: secretField }),
      examples: { Webhook: { ...WEBHOOK, secret: SECRET } },
    },
  },
  errors: [
    wrong('Host not public', { url: 'must have a public host name' }),
    wrong('Event of another scope', { events: 'must belong to the scope account, but case.opened does not' }),
    'administrator_needed',
    'too_many_webhooks',
  ],
  means: { 400: 'The request body is invalid.', 409: 'The account has reached its limit of webhooks.' },
  cli: 'waypost webhooks create https://hooks.example.org/waypost --event link.flagged --event link.clicked',
  handle: async ({ caller, body }, deps: WebhooksPorts) => {
    const { secret, ...webhook } = await createWebhook(deps, caller, { ...body, scope: body.scope ?? 'account' });
    return { ...presentWebhook(webhook), secret };
  },
});
