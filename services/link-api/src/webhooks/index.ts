export { webhookBody } from './webhook.ts';
export type { EventMessage, Webhooks } from './webhooks.port.ts';
export { deleteWebhook } from './webhooks.ts';
