import { cachedReadiness, type HealthCheck } from '@waypost/telemetry';
import { bound, type EndpointWith, type Slice } from '../platform/slice.ts';
import { getHealthDetailsEndpoint, getHealthEndpoint, getReadinessEndpoint } from './health.endpoint.ts';
import type { HealthPorts } from './ports.ts';

export const healthEndpoints: readonly EndpointWith<HealthPorts>[] = [
  getHealthDetailsEndpoint,
  getHealthEndpoint,
  getReadinessEndpoint,
];

export const health = (ports: { readonly health: Readonly<Record<string, HealthCheck>> }): Slice => ({
  endpoints: bound({ readiness: cachedReadiness(ports.health) }, healthEndpoints),
});
