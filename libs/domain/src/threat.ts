/** Threats and verdicts: the vocabulary shared by the scanner, the link and the visitor's page. */

/** Most severe first: when several apply, a link carries the first of them (docs/contract.md, Threat types). */
export const THREAT_TYPES = [
  'malware',
  'phishing',
  'harmful_application',
  'scam',
  'unwanted_software',
  'spam',
  'suspicious',
  'policy_violation',
] as const;
export type ThreatType = (typeof THREAT_TYPES)[number];

export function isThreatType(value: unknown): value is ThreatType {
  return (THREAT_TYPES as readonly unknown[]).includes(value);
}

export function mostSevere(types: Iterable<ThreatType>): ThreatType | null {
  const present = new Set(types);
  return THREAT_TYPES.find((type) => present.has(type)) ?? null;
}

/** Why a verdict is what it is. `rule` names a feed (`feed:<name>`) or a rule; `evidence` is what it matched. */
export interface Reason {
  readonly rule: string;
  readonly evidence: string;
  /** What it alone would flag the URL as; absent for what only warns, and in the answer of a scan. */
  readonly threat_type?: ThreatType;
}

/** `refused`: the URL policy says no (400). `warned`: active, kept for closer looks. */
export type Outcome = 'clean' | 'warned' | 'flagged' | 'refused';

export interface Verdict {
  /** As asked. */
  readonly url: string;
  readonly outcome: Outcome;
  /** Null for `clean` and `refused`, the suspected type for `warned` and `flagged`. */
  readonly threat_type: ThreatType | null;
  readonly reasons: readonly Reason[];
}

/** What a scan flags a link as: null if it is clean, and if it is only suspected. */
export function flaggedAs(verdict: Pick<Verdict, 'outcome' | 'threat_type'>): ThreatType | null {
  return verdict.outcome === 'flagged' ? verdict.threat_type : null;
}

/** What the owner and the API read about a type. "Suspected": a check can be wrong. */
const SUSPICION: Record<ThreatType, string> = {
  malware: 'malware',
  phishing: 'phishing',
  harmful_application: 'a harmful application',
  scam: 'a scam',
  unwanted_software: 'unwanted software',
  spam: 'spam',
  suspicious: 'being unsafe',
  policy_violation: 'breaking the rules of this service',
};

export function flagMessage(type: ThreatType): string {
  return `The destination is suspected of ${SUSPICION[type]}. The link was created, but it will not redirect. Visitors see an explanation page.`;
}
