import { cachedReadiness, type HealthCheck } from '@waypost/telemetry';
import { slice } from '../platform/slice.ts';
import { getHealthDetailsEndpoint, getHealthEndpoint, getReadinessEndpoint } from './health.endpoint.ts';

export { redirectorsHealth } from './redirectors.ts';

export const health = slice({
  endpoints: [getHealthDetailsEndpoint, getHealthEndpoint, getReadinessEndpoint],
  open: (ports: { readonly health: Readonly<Record<string, HealthCheck>> }) => ({
    ports: { readiness: cachedReadiness(ports.health) },
  }),
});
