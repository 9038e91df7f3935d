import { type Metrics, metric } from '@waypost/telemetry';
import type { AnalyticsIngest } from './app.ts';

export const INGEST_METRICS = {
  running: metric.gauge('waypost_ingest_running', 'Whether clicks are taken from the bus.'),
  stored: metric.counter(
    'waypost_ingest_clicks_stored_total',
    'Clicks stored in ClickHouse; a redelivered one counts again.',
  ),
  lastStored: metric.gauge(
    'waypost_ingest_last_stored_timestamp_seconds',
    'When clicks were last stored, as Unix time.',
  ),
};

export function ingestMetrics(metrics: Metrics, ingest: Pick<AnalyticsIngest, 'status'>): void {
  metrics.read(INGEST_METRICS, () => {
    const { running, stored, lastStoredAt } = ingest.status();
    return { running, stored, lastStored: lastStoredAt === undefined ? undefined : lastStoredAt / 1_000 };
  });
}
