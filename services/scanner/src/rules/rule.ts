import type { ThreatType } from '@waypost/domain';
import type { Subject } from './subject.ts';

/** Signs on one URL that add up to this flag it, although none of them would alone. */
export const FLAG_POINTS = 100;
/** And to this, warn. */
export const WARN_POINTS = 60;

/** What a rule found. */
export interface Sign {
  /** For people to read. */
  readonly evidence: string;
  readonly weight: number;
}

/** A local sign of danger. Rules are data: each can be explained, counted and switched off by its id. */
export interface Rule {
  readonly id: string;
  /** Raise it with every change of what the rule finds: existing links are then scanned again. */
  readonly version: number;
  /** What it does alone. A rule that weighs is not even mentioned unless the sum of the signs warns or flags. */
  readonly action: 'flag' | 'warn' | 'weigh';
  /** In points, for the sum: 25 for each power of ten by which harmful addresses show the sign more often. */
  readonly weight: number;
  readonly threatType: ThreatType;
  /** Whether it reads the path too; other rules give the same result for every URL of a host. */
  readonly readsPath?: true;
  /** Undefined if it finds nothing; only the evidence if the sign has the rule's weight. */
  readonly check: (subject: Subject) => string | Sign | undefined;
}

type Traits = Pick<Rule, 'threatType' | 'readsPath'> & Partial<Pick<Rule, 'version'>>;

/** A rule, of version 1 unless `traits` says another. */
export function rule(id: string, action: Rule['action'], weight: number, traits: Traits, check: Rule['check']): Rule {
  return { id, version: 1, action, weight, ...traits, check };
}
