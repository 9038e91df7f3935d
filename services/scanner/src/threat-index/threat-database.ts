import type { RuleSet } from '../rules/rules.ts';
import type { ThreatIndex } from './threat-index.ts';

/**
 * One generation of the threat data. It never changes, it is only replaced: a reference is always to one generation.
 */
export interface ThreatDatabase {
  readonly generation: string;
  readonly index: ThreatIndex;
  readonly rules: RuleSet;
}
