/**
 * Refuses entries that no feed may have. Lists have errors, some on purpose, and one broad entry would flag everybody's
 * links (UT1 had `google.com/url`).
 */
import { BRANDS, CARRIERS, MOST_VISITED, REDIRECTORS, SHARED_HOSTS, SHORTENERS } from '../../data.ts';
import { isPublicSuffix, registrableDomain, tenantOf } from '../../judge/urls/hosts.ts';
import { entryExpression, type FeedEntry } from './entry.ts';

export type Judgement =
  | { readonly kind: 'good' }
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
const because =
  (kind: Exclude<Judgement['kind'], 'good'>) =>
  (problem: string): Judgement => ({ kind, problem });
const poison = because('poison');
const tooBroad = because('too-broad');
const quarantined = because('quarantined');

export function judgeEntry(entry: FeedEntry, ownHosts: readonly string[]): Judgement {
  const host = entry.host.replace(/^www\./, '');
  if (isOwn(entry.host, ownHosts)) {
    return entry.path === undefined
      ? poison('a host of this service')
      : // A list may name one of our short links. No link can have it as a destination, so the entry is useless.
        tooBroad('an address of this service');
  }
  if (entry.path !== undefined) {
    const isRedirector = leadingOn.has(entryExpression({ ...entry, host })) || leadingOn.has(entryExpression(entry));
    if (isRedirector) return tooBroad('a page that leads on to any address');
    // Lists name single pages on sites where many people publish, and on link shorteners.
    const isOfOneParty = !sharedHosts.has(host) && !isSharedSuffix(tenantOf(host)) && !SHORTENERS.has(host);
    return muchVisited.has(host) && isOfOneParty ? quarantined('a page of a much visited site') : GOOD;
  }
  if (isPublicSuffix(entry.host)) return poison('a public suffix');
  if (mostVisited.has(host) || brandDomains.has(host)) return poison('one of the most visited hosts');
  if (sharedHosts.has(host)) return poison('a host that many parties share');
  if (muchVisited.has(host)) return tooBroad('a much visited host');
  if (SHORTENERS.has(host)) return tooBroad('a link shortener');
  const domain = registrableDomain(entry.host);
  const isOneOfMany = tenantOf(entry.host) !== domain || isSharedSuffix(domain);
  if (domain !== null && brandDomains.has(domain) && !isOneOfMany) return tooBroad('a host of a well-known brand');
  return GOOD;
}

function isOwn(host: string, ownHosts: readonly string[]): boolean {
  return ownHosts.some((own) => {
    const name = own.replace(/:\d+$/, '');
    return host === name || host.endsWith(`.${name}`) || name.endsWith(`.${host}`);
  });
}

function isSharedSuffix(domain: string | null): boolean {
  return domain !== null && sharedHosts.has(domain);
}
