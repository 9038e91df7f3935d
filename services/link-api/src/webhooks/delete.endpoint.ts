import { actorOf } from '../platform/caller.ts';
import { endpoint } from '../platform/endpoint.ts';
import { named, time } from '../platform/fields.ts';
import { deleteWebhook } from './delete.ts';
import type { WebhooksPorts } from './ports.ts';
import { ID, ONE, webhookFields } from './webhooks.schema.ts';

export const deleteWebhookEndpoint = endpoint({
  ...ONE,
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks/:webhook',
  summary: 'Delete a webhook',
  description: 'Permanently deletes a webhook with its log of deliveries. No more messages are sent to it.',
  answers: {
    200: {
      means: 'The webhook was deleted.',
      schema: named('DeletedWebhook', 'The deleted webhook.', { id: webhookFields.id, deleted_at: time }),
      examples: { Deleted: { id: ID, deleted_at: '2026-11-21T10:15:00.000Z' } },
    },
  },
  cli: `waypost webhooks delete ${ID}`,
  handle: async ({ caller, params }, deps: WebhooksPorts) => {
    await deleteWebhook(deps, caller.accountId, params.webhook, actorOf(caller));
    return { id: params.webhook, deleted_at: deps.now().toISOString() };
  },
});
