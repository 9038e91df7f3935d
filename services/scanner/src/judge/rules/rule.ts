import type { ThreatType } from '@waypost/domain';
import type { Subject } from './subject.ts';

/** Signs on one URL that add up to this flag it, although none of them would alone. */
export const FLAG_POINTS = 100;
/** Signs on one URL that add up to this warn. */
export const WARN_POINTS = 60;
/** A sign that only weighs warns alone from here: nothing else speaks against the URL. */
export const LONE_WARN_POINTS = 75;

export interface Sign {
  readonly evidence: string;
  readonly weight: number;
}

export type RuleSign = Sign & { readonly rule: Rule };

export interface Rule {
  readonly id: string;
  /** Raise it with every change of what the rule finds: existing links are then scanned again. */
  readonly version: number;
  /** What the rule does alone. A rule that weighs is mentioned only if the sum of the signs warns or flags. */
  readonly action: 'flag' | 'warn' | 'weigh';
  /** The points for the sum: 25 for each power of ten by which harmful addresses show the sign more often. */
  readonly weight: number;
  readonly threatType: ThreatType;
  /** Returns undefined if it finds nothing, or only the evidence if the sign has the rule's weight. */
  readonly check: (subject: Subject) => string | Sign | undefined;
}

export type Traits = Pick<Rule, 'threatType'> & Partial<Pick<Rule, 'version'>>;

export function rule(id: string, action: Rule['action'], weight: number, traits: Traits, check: Rule['check']): Rule {
  return { id, version: 1, action, weight, ...traits, check };
}
