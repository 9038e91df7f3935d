import { endpoint } from '../platform/endpoint.ts';
import { named, time } from '../platform/fields.ts';
import type { WebhooksPorts } from './ports.ts';
import { rotateSecret } from './rotate-secret.ts';
import { CHANGE, ID, ONE, presentWebhook, SECRET, secretField, WEBHOOK, webhookFields } from './webhooks.schema.ts';

export const rotateWebhookSecretEndpoint = endpoint({
  ...ONE,
  ...CHANGE,
  id: 'rotateWebhookSecret',
  errors: ['administrator_needed', 'webhook_not_found'],
  proof: true,
  method: 'POST',
  path: '/webhooks/:webhook/secret',
  summary: 'Rotate a webhook secret',
  description:
    'Creates a new secret for a webhook. For 24 hours, messages are signed with both the new and the previous secret. If you rotate again within that time, the previous secret stops working immediately.',
  answers: {
    200: {
      means: 'The secret was rotated.',
      schema: named('RotatedWebhook', 'The webhook with its new secret.', {
        ...webhookFields,
        secret: secretField,
        old_secret_until: time.description('Until when messages are also signed with the previous secret.'),
      }),
      examples: { Rotated: { ...WEBHOOK, secret: SECRET, old_secret_until: '2026-11-22T09:30:00.000Z' } },
    },
  },
  cli: `waypost webhooks rotate ${ID}`,
  handle: async ({ caller, params }, deps: WebhooksPorts) => {
    const webhook = await rotateSecret(deps, caller, params.webhook);
    const { secret, oldSecretUntil } = webhook;
    return { ...presentWebhook(webhook), secret, old_secret_until: oldSecretUntil!.toISOString() };
  },
});
