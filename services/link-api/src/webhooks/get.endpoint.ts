import { endpoint } from '../platform/endpoint.ts';
import { getWebhook } from './get.ts';
import type { WebhooksPorts } from './ports.ts';
import { ID, ONE, presentWebhook, READ, WEBHOOK, webhookBody } from './webhooks.schema.ts';

export const getWebhookEndpoint = endpoint({
  ...ONE,
  ...READ,
  id: 'getWebhook',
  method: 'GET',
  path: '/webhooks/:webhook',
  summary: 'Get a webhook',
  description: 'Returns a webhook with its state. A webhook whose deliveries fail for days is disabled.',
  answers: { 200: { means: 'The webhook.', schema: webhookBody, examples: { Webhook: WEBHOOK } } },
  cli: `waypost webhooks show ${ID}`,
  handle: async ({ caller, params }, deps: WebhooksPorts) =>
    presentWebhook(await getWebhook(deps, caller.accountId, params.webhook)),
});
