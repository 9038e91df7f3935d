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
  summary: 'Rotate the secret of a webhook',
  description:
    'Messages carry the signatures of both secrets, the new and the earlier one, for 24 hours. Rotated again in that time, the one before it stops at once.',
  answers: {
    200: {
      means: 'The webhook has a new secret.',
      schema: named('RotatedWebhook', 'A webhook with a new secret.', {
        ...webhookFields,
        secret: secretField,
        old_secret_until: time.description('The earlier secret signs until then, too.'),
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
