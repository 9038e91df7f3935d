import type { Outbox } from '@waypost/ports';
import { type Metrics, metric } from '@waypost/telemetry';
import type { Cases } from '../moderation/cases.port.ts';
import type { WebhookQueue } from '../webhooks/webhooks.port.ts';

export const API_METRICS = {
  requests: metric.counter(
    'waypost_api_requests_total',
    'Requests of the API, the dashboard and the tool server, by route ("other": none) and status ("aborted": the caller left).',
    'method',
    'route',
    'status',
  ),
  durations: metric.histogram(
    'waypost_api_request_duration_seconds',
    'Time from a request to the end of its answer, by route.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    'route',
  ),
  operations: metric.counter(
    'waypost_api_operations_total',
    'Operations of the API, over HTTP and MCP, by their ids in its document, and outcome: done, or the cause of the refusal.',
    'operation',
    'outcome',
  ),
  shed: metric.counter(
    'waypost_api_shed_requests_total',
    'Requests answered 503 because too many were under way; not among the others.',
  ),
  limited: metric.counter(
    'waypost_api_limited_requests_total',
    'Requests without a verified key or session that were answered 429 because their address sent too many; not among the others.',
  ),
  linksCreated: metric.counter('waypost_links_created_total', 'Links created, by status: active or flagged.', 'status'),
};

export const OUTBOX_METRICS = {
  events: metric.gauge('waypost_outbox_events', 'Events of links that wait in the database for the bus.'),
  age: metric.gauge('waypost_outbox_oldest_age_seconds', 'Age of the oldest of these events; 0 if there is none.'),
};

export const WEBHOOK_METRICS = {
  pending: metric.gauge('waypost_webhooks_pending_deliveries', 'Messages to webhooks that are not delivered yet.'),
  age: metric.gauge(
    'waypost_webhooks_oldest_pending_age_seconds',
    'Age of the oldest of these messages; 0 if there is none.',
  ),
};

export const CASE_METRICS = {
  open: metric.gauge('waypost_cases_open', 'Reports and review requests that wait for a decision.', 'kind'),
  age: metric.gauge('waypost_cases_oldest_age_seconds', 'Age of the oldest of these; 0 if there is none.', 'kind'),
};

export type ApiCounts = ReturnType<typeof apiCounts>;

export function apiCounts(metrics: Metrics) {
  const linksCreated = metrics.counter(API_METRICS.linksCreated);
  // A rate misses the first increase of a counter that does not start at 0.
  for (const status of ['active', 'flagged']) linksCreated.inc({ status }, 0);
  return {
    requests: metrics.counter(API_METRICS.requests),
    durations: metrics.histogram(API_METRICS.durations),
    operations: metrics.counter(API_METRICS.operations),
    shed: metrics.counter(API_METRICS.shed),
    limited: metrics.counter(API_METRICS.limited),
    linksCreated,
  };
}

interface Queues {
  readonly outbox: Pick<Outbox, 'backlog'>;
  readonly webhookQueue: Pick<WebhookQueue, 'backlog'>;
  readonly cases: Pick<Cases, 'waiting'>;
}

export function queueMetrics(metrics: Metrics, { outbox, webhookQueue, cases }: Queues): void {
  metrics.read(OUTBOX_METRICS, async () => {
    const { rows, oldestMs } = await outbox.backlog();
    return { events: rows, age: oldestMs / 1_000 };
  });
  metrics.read(WEBHOOK_METRICS, async () => {
    const { pending, oldestMs } = await webhookQueue.backlog();
    return { pending, age: oldestMs / 1_000 };
  });
  metrics.read(CASE_METRICS, async () => {
    const waiting = await cases.waiting();
    const ageOf = (at: Date | null) => (at === null ? 0 : Math.max(0, (Date.now() - at.getTime()) / 1_000));
    return {
      open: waiting.map(({ kind, open }) => ({ labels: { kind }, value: open })),
      age: waiting.map(({ kind, oldestAt }) => ({ labels: { kind }, value: ageOf(oldestAt) })),
    };
  });
}
