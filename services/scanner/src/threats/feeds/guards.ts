/**
 * Refuses entries that no feed may have. Lists have errors, some on purpose, and one broad entry would flag everybody's
 * links (UT1 had `google.com/url`).
 */
import { customSlugProblem, percentDecoded, slugOfPath } from '@waypost/domain';
import { BRANDS, CARRIERS, MOST_VISITED, REDIRECTORS, SHARED_HOSTS, SHORTENERS } from '../../data.ts';
import { isPublicSuffix, registrableDomain, tenantOf } from '../../judge/urls/hosts.ts';
import { entryExpression, type FeedEntry } from './entry.ts';

export type Judgement =
  | { readonly kind: 'good' }
  /** One of our short links, which the entry flags. */
  | { readonly kind: 'own-link'; readonly slug: string; readonly problem: string }
  /** Another address of this service. The entry is left out, and the operator is told. */
  | { readonly kind: 'own'; readonly problem: string }
  | { readonly kind: 'poison'; readonly problem: string }
  /** Quarantines the entry. Too many of them refuse the file. */
  | { readonly kind: 'too-broad'; readonly problem: string }
  /** Quarantines the entry, unless a person imports it. */
  | { readonly kind: 'quarantined'; readonly problem: string };

/** Up to this rank, a whole registrable domain refuses the file; below it, the entry goes into quarantine. */
const POISON_RANK = 2_500;

const mostVisited = new Set(MOST_VISITED.slice(0, POISON_RANK));
const muchVisited = new Set(MOST_VISITED);
const brandDomains = new Set(BRANDS.flatMap(({ official }) => official));
const sharedHosts = new Set(SHARED_HOSTS.map((name) => name.replace(/^\./, '')));
const leadingOn = new Set([...REDIRECTORS, ...CARRIERS.map(([page]) => page)]);
const GOOD: Judgement = { kind: 'good' };
const OWN = { kind: 'own', problem: 'an address of this service' } as const;
const because =
  (kind: 'poison' | 'too-broad' | 'quarantined') =>
  (problem: string): Judgement => ({ kind, problem });
const poison = because('poison');
const tooBroad = because('too-broad');
const quarantined = because('quarantined');

export function judgeEntry(entry: FeedEntry, ownHosts: readonly string[]): Judgement {
  const host = entry.host.replace(/^www\./, '');
  const own = judgeOwn(entry, ownHosts);
  if (own !== undefined) return own;
  if (entry.path !== undefined) {
    const isRedirector = leadingOn.has(entryExpression({ ...entry, host })) || leadingOn.has(entryExpression(entry));
    if (isRedirector) return tooBroad('a page that redirects to any URL');
    // Lists name single pages on sites where many people publish, and on link shorteners.
    const isOfOneParty = !sharedHosts.has(host) && !isSharedSuffix(tenantOf(host)) && !SHORTENERS.has(host);
    return muchVisited.has(host) && isOfOneParty ? quarantined('a page of a popular site') : GOOD;
  }
  if (isPublicSuffix(entry.host)) return poison('a public suffix');
  if (mostVisited.has(host) || brandDomains.has(host)) return poison('one of the most popular hosts');
  if (sharedHosts.has(host)) return poison('a host that many parties share');
  if (muchVisited.has(host)) return tooBroad('a popular host');
  if (SHORTENERS.has(host)) return tooBroad('a link shortener');
  const domain = registrableDomain(entry.host);
  const isOneOfMany = tenantOf(entry.host) !== domain || isSharedSuffix(domain);
  if (domain !== null && brandDomains.has(domain) && !isOneOfMany) return tooBroad('a host of a well-known brand');
  return GOOD;
}

/** A list that names our hosts is still a good list: others would otherwise switch it off by reporting us. */
function judgeOwn({ host, path }: FeedEntry, ownHosts: readonly string[]): Judgement | undefined {
  const names = ownHosts.map((own) => own.replace(/:\d+$/, ''));
  if (names.includes(host)) {
    const slug = path === undefined ? undefined : slugIn(path);
    return slug === undefined ? OWN : { ...OWN, kind: 'own-link', slug };
  }
  if (names.some((name) => host.endsWith(`.${name}`))) return OWN;
  const isParent = path === undefined && names.some((name) => name.endsWith(`.${host}`)) && !isPublicSuffix(host);
  return isParent ? OWN : undefined;
}

/** Reads the slug as a redirector does. Undefined for a page of the service. */
function slugIn(path: string): string | undefined {
  const written = path.replace(/\?.*$/s, '');
  // Bytes that are no UTF-8 are no slug.
  const slug = slugOfPath(percentDecoded(written) ?? written)?.slug;
  return slug !== undefined && customSlugProblem(slug) === undefined ? slug : undefined;
}

function isSharedSuffix(domain: string | null): boolean {
  return domain !== null && sharedHosts.has(domain);
}
