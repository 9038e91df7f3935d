import { type Metrics, metric } from '@waypost/telemetry';
import type { Redirector } from './app.ts';
import { DURATIONS } from './listener/visitor-counts.ts';

export const VISITOR_METRICS = {
  answers: metric.counter(
    'waypost_redirector_answers_total',
    'Responses to visitors, by kind: redirect (302), uncounted_redirect (302 to HEAD and prefetches), preview and home (200), not_found (404), revoked (410), flagged (403), unavailable (503).',
    'kind',
  ),
  lookups: metric.counter(
    'waypost_redirector_lookups_total',
    'Link lookups, by the source of the result: memory (redirects only), cache (Redis) or database.',
    'source',
  ),
  durations: metric.histogram(
    'waypost_redirector_answer_duration_seconds',
    'Time from a request for a link to its response, including the capture of its click.',
    DURATIONS,
  ),
  threadBusy: metric.counter(
    'waypost_redirector_thread_busy_seconds_total',
    'Time that the event loop of a visitor thread was busy. Its rate is the share of a core in use.',
    'thread',
  ),
};

export const REDIRECTOR_METRICS = {
  linksInMemory: metric.gauge('waypost_redirector_links_in_memory', 'Links held in memory, over all threads.'),
  openConnections: metric.gauge('waypost_redirector_open_connections', 'Open visitor connections.'),
  captured: metric.counter('waypost_click_log_captured_total', 'Clicks written to the click log.'),
  uncaptured: metric.counter(
    'waypost_click_log_uncaptured_total',
    'Clicks lost because the click log was full, or its disk failed for longer than memory could buffer.',
  ),
  heldClicks: metric.gauge('waypost_click_log_held_clicks', 'Clicks in memory, waiting for the disk.'),
  diskBytes: metric.gauge('waypost_click_log_disk_bytes', 'Size of the click log on disk.'),
  limitBytes: metric.gauge('waypost_click_log_limit_bytes', 'Maximum size of the click log.'),
  unsentBytes: metric.gauge('waypost_click_log_unsent_bytes', 'Bytes of the click log not yet accepted by the bus.'),
  oldestUnsent: metric.gauge(
    'waypost_click_log_oldest_unsent_age_seconds',
    'Age of the oldest click not yet accepted by the bus, or 0.',
  ),
  shipped: metric.counter(
    'waypost_click_log_shipped_total',
    'Clicks accepted by the bus. A repeated send counts again.',
  ),
  garbled: metric.counter(
    'waypost_click_log_garbled_bytes_total',
    'Unreadable bytes of the click log that were skipped.',
  ),
};

export const THREAD_METRICS = {
  delay: metric.gauge(
    'waypost_redirector_event_loop_delay_p99_seconds',
    'Event loop delay of a visitor thread since the last scrape, 0.99 quantile.',
    'thread',
  ),
};

export function redirectorMetrics(
  metrics: Metrics,
  redirector: Pick<Redirector, 'visited' | 'status' | 'delays'>,
): void {
  metrics.read(VISITOR_METRICS, () => {
    const { answers, lookups, durations, busyMs } = redirector.visited();
    return {
      answers: Object.entries(answers).map(([kind, value]) => ({ labels: { kind }, value })),
      lookups: Object.entries(lookups).map(([source, value]) => ({ labels: { source }, value })),
      durations,
      threadBusy: busyMs.map((ms, i) => ({ labels: { thread: String(i + 1) }, value: ms / 1_000 })),
    };
  });
  metrics.read(REDIRECTOR_METRICS, async () => {
    const { maxBytes, spoolBytes, garbledBytes, oldestUnsentMs, ...status } = await redirector.status();
    return {
      ...status,
      limitBytes: maxBytes,
      unsentBytes: spoolBytes,
      garbled: garbledBytes,
      oldestUnsent: oldestUnsentMs / 1_000,
    };
  });
  metrics.read(THREAD_METRICS, async () => ({
    delay: (await redirector.delays()).map((ms, i) => ({ labels: { thread: String(i + 1) }, value: ms / 1_000 })),
  }));
}
