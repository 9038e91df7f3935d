import { type Metrics, metric } from '@waypost/telemetry';

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
};

export type ApiCounts = ReturnType<typeof apiCounts>;

export function apiCounts(metrics: Metrics) {
  return {
    requests: metrics.counter(API_METRICS.requests),
    durations: metrics.histogram(API_METRICS.durations),
    operations: metrics.counter(API_METRICS.operations),
    shed: metrics.counter(API_METRICS.shed),
    limited: metrics.counter(API_METRICS.limited),
  };
}
