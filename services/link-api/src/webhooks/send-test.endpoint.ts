import { endpoint } from '../platform/endpoint.ts';
import type { WebhooksPorts } from './ports.ts';
import { REQUESTS_LIMIT } from './requests.ts';
import { sendTest } from './send-test.ts';
import { CHANGE, deliveryBody, ID, noSuch, ONE, PENDING, presentDelivery } from './webhooks.schema.ts';

export const testWebhookEndpoint = endpoint({
  ...ONE,
  ...CHANGE,
  id: 'testWebhook',
  method: 'POST',
  path: '/webhooks/:webhook/test',
  summary: 'Test a webhook',
  description: `Sends a message of the type \`webhook.test\`, once. Its delivery tells what the receiver answered. ${REQUESTS_LIMIT}`,
  answers: {
    201: {
      means: 'The message is on its way.',
      schema: deliveryBody,
      examples: { Pending: { ...PENDING, type: 'webhook.test' } },
    },
  },
  errors: ['webhook_disabled', 'webhook_not_found', 'too_many_attempts'],
  means: {
    400: 'The webhook is switched off.',
    ...noSuch,
    429: 'Too many tests and replays. Wait for `Retry-After`.',
  },
  cli: `waypost webhooks test ${ID}`,
  handle: async ({ caller, params }, deps: WebhooksPorts) =>
    presentDelivery(await sendTest(deps, caller.accountId, params.webhook)),
});
