/** Threats and verdicts: the vocabulary shared by the scanner, the link and the visitor's page. */

/** Most severe first: a link carries the first of all that apply (docs/contract.md, Threat types). */
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

/** A reason for a verdict. `rule` names a feed (`feed:<name>`) or a rule; `evidence` is what it matched. */
export interface Reason {
  readonly rule: string;
  readonly evidence: string;
  /** What this reason alone would flag the URL as; absent if it only warns, and in the answer of a scan. */
  readonly threat_type?: ThreatType;
}

const LONGEST_EVIDENCE = 300;

/** What others wrote, as evidence: of bounded length, and without what a store refuses (half of a cut pair, NUL). */
export function evidenceText(text: string, longest = LONGEST_EVIDENCE): string {
  const cut = text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
  return cut.toWellFormed().replaceAll('\0', '\ufffd');
}

/** `refused`: the URL policy refuses it (400). `warned`: active, noted for closer inspection. */
export type Outcome = 'clean' | 'warned' | 'flagged' | 'refused';

export interface Verdict {
  /** As the caller sent it. */
  readonly url: string;
  readonly outcome: Outcome;
  /** Null for `clean` and `refused`, the suspected type for `warned` and `flagged`. */
  readonly threat_type: ThreatType | null;
  readonly reasons: readonly Reason[];
  /** If a deep scan is due once the link is active; `preview_first`: visitors see the preview page until it is done. */
  readonly deep_scan?: { readonly preview_first: boolean };
}

/** The threat type that a scan flags a link with: null if the URL is clean or only suspected. */
export function flaggedAs(verdict: Pick<Verdict, 'outcome' | 'threat_type'>): ThreatType | null {
  return verdict.outcome === 'flagged' ? verdict.threat_type : null;
}

/** Wording for the owner and the API. "Suspected": a check can be wrong. */
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
