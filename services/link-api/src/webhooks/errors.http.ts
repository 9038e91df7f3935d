import type { ErrorRows } from '../platform/http/errors.ts';

export const webhookErrors = {
  webhook_not_found: [404, 'Webhook not found', 'Your account has no webhook with this ID.'],
  webhook_disabled: [400, 'Webhook disabled', 'This webhook is disabled. Enable it first.'],
  too_many_webhooks: [409, 'Too many webhooks', 'An account may have up to 10 webhooks. Delete one first.'],
  delivery_not_found: [404, 'Delivery not found', 'This webhook has no delivery with this ID.'],
  delivery_pending: [
    400,
    'Delivery pending',
    'This delivery is still pending. Only a completed delivery can be replayed.',
  ],
  administrator_needed: [
    403,
    'Not an administrator',
    'Only administrators may have webhooks with the scope "installation".',
  ],
} satisfies ErrorRows;
