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
  { url: urlField, events: eventsField, scope: optional(scopeField).description('`account` unless it is given.') },
  'NewWebhook',
  'A webhook to be made.',
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
  summary: 'Make a webhook',
  description: `Sends the events of your links from now on, signed by the Standard Webhooks specification. The secret is in this answer and nowhere else. An account has at most ${WEBHOOK_LIMITS.perAccount} webhooks.`,
  body: { ...newWebhook, schema: newWebhook.schema.meta(EVENTS_BY_SCOPE) },
  examples: {
    'For flags and clicks': { url: WEBHOOK.url, events: WEBHOOK.events },
    'For reports': { url: WEBHOOK.url, events: ['case.opened'], scope: 'installation' },
  },
  answers: {
    201: {
      means: 'The webhook was made.',
      schema: named('CreatedWebhook', 'A new webhook.', { ...webhookFields, secret: secretField }),
      examples: { 'A webhook': { ...WEBHOOK, secret: SECRET } },
    },
  },
  errors: [
    wrong('Not public', { url: 'must have a public host name' }),
    wrong('Of the other scope', { events: 'case.opened is no event of the scope account' }),
    'administrator_needed',
    'too_many_webhooks',
  ],
  means: { 400: 'The body is wrong.', 409: 'The account has as many webhooks as it may have.' },
  cli: 'waypost webhooks create https://hooks.example.org/waypost --event link.flagged --event link.clicked',
  handle: async ({ caller, body }, deps: WebhooksPorts) => {
    const { secret, ...webhook } = await createWebhook(deps, caller, { ...body, scope: body.scope ?? 'account' });
    return { ...presentWebhook(webhook), secret };
  },
});
