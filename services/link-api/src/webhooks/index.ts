import { EventEmitter } from 'node:events';
import type { Database } from '@waypost/postgres';
import type { Metrics } from '@waypost/telemetry';
import { slice } from '../platform/slice.ts';
import { changeWebhookEndpoint } from './change.endpoint.ts';
import { createWebhookEndpoint } from './create.endpoint.ts';
import { deleteWebhookEndpoint } from './delete.endpoint.ts';
import { type DeliveriesPorts, startDeliveries } from './deliveries.job.ts';
import { getWebhookEndpoint } from './get.endpoint.ts';
import { listWebhooksEndpoint } from './list.endpoint.ts';
import { listWebhookDeliveriesEndpoint } from './list-deliveries.endpoint.ts';
import { webhookMessages } from './messages.schema.ts';
import { webhookMetrics } from './metrics.ts';
import type { Waker, WebhooksPorts } from './ports.ts';
import { replayWebhookDeliveryEndpoint } from './replay-delivery.endpoint.ts';
import { rotateWebhookSecretEndpoint } from './rotate-secret.endpoint.ts';
import { testWebhookEndpoint } from './send-test.endpoint.ts';
import { postgresWebhookQueue } from './webhook-queue.sql.ts';
import { postgresWebhooks } from './webhooks.sql.ts';

export const webhooks = slice({
  endpoints: [
    listWebhooksEndpoint,
    createWebhookEndpoint,
    getWebhookEndpoint,
    changeWebhookEndpoint,
    deleteWebhookEndpoint,
    rotateWebhookSecretEndpoint,
    testWebhookEndpoint,
    listWebhookDeliveriesEndpoint,
    replayWebhookDeliveryEndpoint,
  ],
  messages: webhookMessages,
  open: (ports: WebhooksPorts & DeliveriesPorts & { readonly metrics: Metrics }) => {
    webhookMetrics(ports.metrics, ports);
    return {
      ports,
      jobs: [() => startDeliveries(ports)],
      forget: [(now) => ports.webhookQueue.forget(now)],
    };
  },
});

export const webhookStores = (db: Database) => ({
  webhooks: postgresWebhooks(db),
  webhookQueue: postgresWebhookQueue(db),
  webhooking: new EventEmitter() as Waker,
});

export { webhookBody as messageBody } from './bodies.ts';
export { deleteWebhook } from './delete.ts';
export { deleteWebhooks, eraseLinkMessages, eraseMessages } from './erase.sql.ts';
export { webhookErrors } from './errors.http.ts';
export { type QueuePorts, queueLinkEvents } from './queue.ts';
export { webhookSender } from './sender.adapter.ts';
export { queueEvent } from './webhook-queue.sql.ts';
export type { EventMessage, Webhooks } from './webhooks.port.ts';
export { presentWebhook, WEBHOOK, webhookBody } from './webhooks.schema.ts';
export { resumeClicks } from './webhooks.sql.ts';
