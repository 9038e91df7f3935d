/** The port to services that know more than this scanner, and are asked over the network. */
import type { ThreatType } from '@waypost/domain';

export interface ProviderFinding {
  readonly threatType: ThreatType;
  /** What the provider lists: an expression or the URL. */
  readonly evidence: string;
}

export interface ThreatProvider {
  /** As in the reason `provider:<name>` of a verdict. */
  readonly name: string;
  /**
   * What it says of each URL: a finding, or null if it lists none. A URL that is missing could not be asked about now. It
   * never rejects, but when `signal` aborts.
   */
  lookUp(urls: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, ProviderFinding | null>>;
  status(): ProviderStatus;
}

/** Counts since the start. */
export interface ProviderStatus {
  readonly name: string;
  readonly requests: number;
  readonly failures: number;
  /** Left alone for a while, after failures. */
  readonly open: boolean;
}
