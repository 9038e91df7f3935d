import { WEBHOOK_LIMITS } from '@waypost/domain';
import { endpoint } from '../platform/endpoint.ts';
import { list, named, whole } from '../platform/fields.ts';
import type { WebhooksPorts } from './ports.ts';
import { presentWebhook, READ, WEBHOOK, webhookBody } from './webhooks.schema.ts';

export const listWebhooksEndpoint = endpoint({
  ...READ,
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  summary: 'List webhooks',
  description: 'Returns all webhooks of your account, oldest first.',
  answers: {
    200: {
      means: 'The webhooks.',
      schema: named('WebhookList', 'The webhooks of an account.', {
        data: list(webhookBody),
        limit: whole.description('The maximum number of webhooks per account.'),
      }),
      examples: { 'One webhook': { data: [WEBHOOK], limit: WEBHOOK_LIMITS.perAccount } },
    },
  },
  cli: 'waypost webhooks list',
  handle: async ({ caller }, deps: WebhooksPorts) => ({
    data: (await deps.webhooks.list(caller.accountId)).map(presentWebhook),
    limit: WEBHOOK_LIMITS.perAccount,
  }),
});
