/** A service with threat data that this scanner does not have. */
import type { ThreatType } from '@waypost/domain';

export interface ProviderFinding {
  readonly threatType: ThreatType;
  /** The listed expression or URL. */
  readonly evidence: string;
}

export interface ThreatProvider {
  /** The name is also in the reason `provider:<name>` of a verdict. */
  readonly name: string;
  /** Null for a URL that is not listed; a missing URL could not be looked up. Rejects only when `signal` aborts. */
  lookUp(urls: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ProviderFinding | null>>;
  status(): ProviderStatus;
}

export interface ProviderStatus {
  readonly name: string;
  readonly requests: number;
  readonly failures: number;
  /** True while the provider is not called because of failures. */
  readonly open: boolean;
}
