import type { CachedReadiness } from '@waypost/telemetry';

export interface HealthPorts {
  readonly readiness: CachedReadiness;
}
