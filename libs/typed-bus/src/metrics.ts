import type { Bus, Consumer } from '@waypost/ports';
import { type Metrics, metric } from '@waypost/telemetry';

export const BUS_METRICS = {
  handled: metric.counter(
    'waypost_bus_messages_handled_total',
    'Messages handled by a consumer group. Each click of a batch counts as one.',
    'topic',
    'group',
  ),
  parked: metric.counter(
    'waypost_bus_messages_parked_total',
    'Messages that were dead-lettered. A redelivered message counts again.',
    'topic',
    'group',
  ),
};

export const LAG_METRICS = {
  lag: metric.gauge(
    'waypost_bus_consumer_lag_messages',
    'Messages waiting for this group member. One message may contain 500 clicks.',
    'topic',
    'group',
  ),
};

export function busMetrics(metrics: Metrics, bus: Pick<Bus, 'consumers'>): void {
  const labelsOf = ({ topic, group }: Consumer) => ({ topic, group });
  metrics.read(BUS_METRICS, () => {
    const consumers = bus.consumers();
    return {
      handled: consumers.map((one) => ({ labels: labelsOf(one), value: one.handled })),
      parked: consumers.map((one) => ({ labels: labelsOf(one), value: one.parked })),
    };
  });
  metrics.read(LAG_METRICS, async () => ({
    lag: await Promise.all(bus.consumers().map(async (one) => ({ labels: labelsOf(one), value: await one.lag() }))),
  }));
}
