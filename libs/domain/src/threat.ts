/** If several types apply to a link, it has the first of them: the most severe (docs/contract.md, Threat types). */
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

/** `rule` is the name of a rule or of a feed (`feed:<name>`). `evidence` is the text that it matched. */
export interface Reason {
  readonly rule: string;
  readonly evidence: string;
  /** The threat type if this reason alone flags the URL. Absent if it only warns, and in the answer of a scan. */
  readonly threat_type?: ThreatType;
}

const LONGEST_EVIDENCE = 300;

/** Shortens text from outside. Also removes characters that a store refuses: NUL and half of a surrogate pair. */
export function evidenceText(text: string): string {
  const cut = text.length <= LONGEST_EVIDENCE ? text : `${text.slice(0, LONGEST_EVIDENCE - 1)}…`;
  return cut.toWellFormed().replaceAll('\0', '\ufffd');
}

/** `refused`: the URL policy refuses the URL (400). `warned`: the link is active but suspicious. */
export type Outcome = 'clean' | 'warned' | 'flagged' | 'refused';

export interface Verdict {
  /** The URL as the caller sent it. */
  readonly url: string;
  readonly outcome: Outcome;
  /** Null for `clean` and `refused`; the suspected type for `warned` and `flagged`. */
  readonly threat_type: ThreatType | null;
  readonly reasons: readonly Reason[];
}

/** Returns the threat type of a flagged link, or null if the URL is clean or only suspected. */
export function flaggedAs(verdict: Pick<Verdict, 'outcome' | 'threat_type'>): ThreatType | null {
  return verdict.outcome === 'flagged' ? verdict.threat_type : null;
}

/** These texts say "suspected", because a check can be wrong. Owners see them, and the API returns them. */
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

/** What a verdict means for a link that does not exist yet. */
export function verdictMessage({ outcome, threat_type, reasons }: Omit<Verdict, 'url'>): string {
  const suspicion = SUSPICION[threat_type ?? 'suspicious'];
  switch (outcome) {
    case 'clean':
      return 'No threat was found. This is no guarantee that the URL is safe.';
    case 'warned':
      return `The URL shows signs of ${suspicion}, but not enough to flag it. A link to it would redirect.`;
    case 'flagged':
      return `The URL is suspected of ${suspicion}. A link to it would not redirect.`;
    case 'refused':
      return `A link to this URL cannot be created: the URL ${reasons[0]?.evidence ?? 'is not allowed'}.`;
  }
}

export function flagMessage(type: ThreatType): string {
  return `The destination is suspected of ${SUSPICION[type]}. The link was created, but it will not redirect. Visitors see an explanation page.`;
}
