import { type Metrics, metric } from '@waypost/telemetry';
import type { WebhookQueue } from './webhooks.port.ts';

export const WEBHOOK_METRICS = {
  pending: metric.gauge('waypost_webhooks_pending_deliveries', 'Webhook messages not yet delivered.'),
  age: metric.gauge(
    'waypost_webhooks_oldest_pending_age_seconds',
    'Age of the oldest webhook message not yet delivered, or 0.',
  ),
};

interface Ports {
  readonly webhookQueue: Pick<WebhookQueue, 'backlog'>;
}

export function webhookMetrics(metrics: Metrics, { webhookQueue }: Ports): void {
  metrics.read(WEBHOOK_METRICS, async () => {
    const { pending, oldestMs } = await webhookQueue.backlog();
    return { pending, age: oldestMs / 1_000 };
  });
}
