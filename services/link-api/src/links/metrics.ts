import type { Outbox } from '@waypost/ports';
import { type Metrics, metric } from '@waypost/telemetry';

export const LINK_METRICS = {
  linksCreated: metric.counter('waypost_links_created_total', 'Links created, by status: active or flagged.', 'status'),
};

export const OUTBOX_METRICS = {
  events: metric.gauge('waypost_outbox_events', 'Link events in the database, waiting for the bus.'),
  age: metric.gauge('waypost_outbox_oldest_age_seconds', 'Age of the oldest link event waiting for the bus, or 0.'),
};

export function createdLinks(metrics: Metrics) {
  const linksCreated = metrics.counter(LINK_METRICS.linksCreated);
  // A rate misses the first increase of a counter that does not start at 0.
  for (const status of ['active', 'flagged']) linksCreated.inc({ status }, 0);
  return linksCreated;
}

export function outboxMetrics(metrics: Metrics, { outbox }: { readonly outbox: Pick<Outbox, 'backlog'> }): void {
  metrics.read(OUTBOX_METRICS, async () => {
    const { rows, oldestMs } = await outbox.backlog();
    return { events: rows, age: oldestMs / 1_000 };
  });
}
