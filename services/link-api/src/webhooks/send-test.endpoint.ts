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
  summary: 'Send a test message',
  description: `Sends one message of the type \`webhook.test\` to a webhook, without retries. The delivery shows the response of the receiver. ${REQUESTS_LIMIT}`,
  answers: {
    201: {
      means: 'The test message is queued.',
      schema: deliveryBody,
      examples: { Pending: { ...PENDING, type: 'webhook.test' } },
    },
  },
  errors: ['webhook_disabled', 'webhook_not_found', 'too_many_attempts'],
  means: {
    400: 'The webhook is disabled.',
    ...noSuch,
    429: 'Too many tests and replays. Retry after `Retry-After` seconds.',
  },
  cli: `waypost webhooks test ${ID}`,
  handle: async ({ caller, params }, deps: WebhooksPorts) =>
    presentDelivery(await sendTest(deps, caller.accountId, params.webhook)),
});
