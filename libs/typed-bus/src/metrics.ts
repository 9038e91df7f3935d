import type { Bus, Consumer } from '@waypost/ports';
import { type Metrics, metric } from '@waypost/telemetry';

export const BUS_METRICS = {
  handled: metric.counter(
    'waypost_bus_messages_handled_total',
    'Messages that a group of consumers has handled, each click by itself.',
    'topic',
    'group',
  ),
  parked: metric.counter(
    'waypost_bus_messages_parked_total',
    'Messages that were dead-lettered; a redelivered one counts again.',
    'topic',
    'group',
  ),
};

export const LAG_METRICS = {
  lag: metric.gauge(
    'waypost_bus_consumer_lag_messages',
    'Messages that wait for this member of the group; one may hold 500 clicks.',
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
