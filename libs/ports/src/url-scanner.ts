import type { Verdict } from '@waypost/domain';

export interface ScanResult {
  /** The generation of the threat database that decided all `verdicts`. */
  readonly generation: string;
  /** One per URL, in the same order. */
  readonly verdicts: readonly Verdict[];
}

export interface UrlScanner {
  /** One call for a whole request, 1 to 500 URLs. Throws `unavailable` if it cannot decide in time. */
  scan(urls: readonly string[]): Promise<ScanResult>;
}
