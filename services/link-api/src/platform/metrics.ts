import { type Metrics, metric } from '@waypost/telemetry';

export const API_METRICS = {
  requests: metric.counter(
    'waypost_api_requests_total',
    'Requests to the API, the dashboard and MCP, by route ("other" for none) and status ("aborted" if the client disconnected).',
    'method',
    'route',
    'status',
  ),
  durations: metric.histogram(
    'waypost_api_request_duration_seconds',
    'Time from a request to the end of its response, by route.',
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    'route',
  ),
  operations: metric.counter(
    'waypost_api_operations_total',
    'API operations over HTTP and MCP, by operation id and outcome ("done", or the reason for refusal).',
    'operation',
    'outcome',
  ),
  shed: metric.counter(
    'waypost_api_shed_requests_total',
    'Requests refused with 503 because too many were in progress. waypost_api_requests_total does not include them.',
  ),
  limited: metric.counter(
    'waypost_api_limited_requests_total',
    'Requests without a valid key or session, refused with 429 because of their rate. waypost_api_requests_total does not include them.',
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
