/** Rules about the page where a link ends, if the operator switched pages on. Their points add to the address's. */
import { evidenceText, type Reason, type ThreatType, type Verdict } from '@waypost/domain';
import type { Inspection } from '@waypost/ports';
import { brandInside, isBrandToken, isOfficial, isOfficialOf, isWord } from './brand-names.ts';
import { FLAG_POINTS, WARN_POINTS } from './rule.ts';
import { type Subject, subjectOf } from './subject.ts';

type InspectedPage = Extract<Inspection, { kind: 'page' }>;

interface PageRule {
  readonly id: string;
  readonly weight: number;
  readonly threatType: ThreatType;
  /** Returns the evidence. Not called for ranked hosts. */
  readonly check: (page: InspectedPage, subject: Subject) => string | undefined;
}

export const PAGE_RULES: readonly PageRule[] = [
  {
    id: 'password-form',
    weight: 25,
    threatType: 'phishing',
    check: ({ hasPassword }, { host }) => (hasPassword ? `${host} asks for a password` : undefined),
  },
  {
    id: 'brand-in-title',
    weight: 50,
    threatType: 'phishing',
    check({ hasPassword, title }, { host, domain, tenant }) {
      if (!hasPassword) return undefined;
      const text = title.toLowerCase();
      const brand = text.split(/[^a-z0-9]+/).find((word) => isBrandToken(word) && !isWord(word)) ?? brandInside(text);
      const isOwners = brand === undefined || isOfficialOf(brand, domain) || isOfficialOf(brand, tenant);
      return isOwners ? undefined : `a page of ${host} that asks for a password is titled with ${brand}`;
    },
  },
  {
    id: 'icon-of-brand',
    weight: 50,
    threatType: 'phishing',
    check({ hasPassword, icon }, { url, host, domain }) {
      const from = icon === null || !hasPassword ? null : URL.parse(icon, url.href);
      if (from === null || !/^https?:$/.test(from.protocol)) return undefined;
      const iconOf = subjectOf(from.href, from);
      const isBrands = iconOf.domain !== domain && (isOfficial(iconOf.domain) || isOfficial(iconOf.tenant));
      return isBrands ? `a page of ${host} that asks for a password has the icon of ${iconOf.host}` : undefined;
    },
  },
  {
    id: 'program-file',
    weight: 40,
    threatType: 'malware',
    check: ({ program }, { host }) => (program === null ? undefined : `${host} serves ${program}`),
  },
];

export function judgePage(
  page: InspectedPage,
  href: string,
  verdict: Pick<Verdict, 'outcome'>,
  off: readonly string[],
): { readonly flags: boolean; readonly reasons: readonly Reason[] } {
  const subject = subjectOf(href, new URL(href));
  if (subject.isRanked) return { flags: false, reasons: [] };
  const signs = PAGE_RULES.flatMap(({ id, weight, threatType, check }) => {
    const sign = off.includes(id) ? undefined : check(page, subject);
    return sign === undefined ? [] : [{ weight, reason: { rule: id, evidence: evidenceText(sign) }, threatType }];
  });
  const ofAddress = verdict.outcome === 'warned' ? WARN_POINTS : 0;
  const flags = signs.reduce((sum, { weight }) => sum + weight, ofAddress) >= FLAG_POINTS;
  return {
    flags: flags && signs.length > 0,
    reasons: signs.map(({ reason, threatType }) => (flags ? { ...reason, threat_type: threatType } : reason)),
  };
}
