export type { Webhooks } from './webhooks.port.ts';
export { deleteWebhook } from './webhooks.ts';
