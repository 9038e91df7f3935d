import { type Metrics, metric } from '@waypost/telemetry';
import type { AnalyticsIngest } from './app.ts';

export const INGEST_METRICS = {
  running: metric.gauge('waypost_ingest_running', 'Whether clicks are consumed from the bus: 1 or 0.'),
  stored: metric.counter(
    'waypost_ingest_clicks_stored_total',
    'Clicks stored in ClickHouse. A redelivered click counts again.',
  ),
  lastStored: metric.gauge('waypost_ingest_last_stored_timestamp_seconds', 'Unix time when clicks were last stored.'),
};

export function ingestMetrics(metrics: Metrics, ingest: Pick<AnalyticsIngest, 'status'>): void {
  metrics.read(INGEST_METRICS, () => {
    const { running, stored, lastStoredAt } = ingest.status();
    return { running, stored, lastStored: lastStoredAt === undefined ? undefined : lastStoredAt / 1_000 };
  });
}
