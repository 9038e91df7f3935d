/**
 * What no feed may say. Lists err, and some are made to err: one entry too broad would flag the links of everybody
 * (UT1 carried `google.com/url`). An entry that names a whole suffix, one of the most visited hosts or our own is
 * taken as a sign that the file is not what it should be; what is merely too broad for us is left out.
 */
import { BRANDS, CARRIERS, MOST_VISITED, REDIRECTORS, SHARED_HOSTS } from '../data.ts';
import { isPublicSuffix, registrableDomain, tenantOf } from '../urls/hosts.ts';
import { entryExpression, type FeedEntry } from './entry.ts';

export type Judgement =
  | { readonly kind: 'good' }
  /** Refuses the whole file. */
  | { readonly kind: 'poison'; readonly problem: string }
  /** Leaves out the entry. */
  | { readonly kind: 'too-broad'; readonly problem: string };

/** To this rank a whole registrable domain is poison; the rest of the list is only left out. */
const POISON_RANK = 2_500;

const mostVisited = new Set(MOST_VISITED.slice(0, POISON_RANK));
const muchVisited = new Set(MOST_VISITED);
const brandDomains = new Set(BRANDS.flatMap(({ official }) => official));
const sharedHosts = new Set(SHARED_HOSTS.map((name) => name.replace(/^\./, '')));
const leadingOn = new Set([...REDIRECTORS, ...CARRIERS.map(([page]) => page)]);
const GOOD: Judgement = { kind: 'good' };

export function judge(entry: FeedEntry, ownHosts: readonly string[]): Judgement {
  const host = entry.host.replace(/^www\./, '');
  if (isOwn(entry.host, ownHosts)) {
    return entry.path === undefined
      ? poison('a host of this service')
      : // A list may name one of our short links; no link can lead there, so there is nothing to find.
        tooBroad('an address of this service');
  }
  if (entry.path !== undefined) {
    const isRedirector = leadingOn.has(entryExpression({ ...entry, host })) || leadingOn.has(entryExpression(entry));
    return isRedirector ? tooBroad('a page that leads on to any address') : GOOD;
  }
  if (isPublicSuffix(entry.host)) return poison('a public suffix');
  if (mostVisited.has(host) || brandDomains.has(host)) return poison('one of the most visited hosts');
  if (sharedHosts.has(host)) return poison('a host that many parties share');
  if (muchVisited.has(host)) return tooBroad('a much visited host');
  const domain = registrableDomain(entry.host);
  const isOneOfMany = tenantOf(entry.host) !== domain || isSharedSuffix(domain);
  if (domain !== null && brandDomains.has(domain) && !isOneOfMany) return tooBroad('a host of a well-known brand');
  return GOOD;
}

function isOwn(host: string, ownHosts: readonly string[]): boolean {
  return ownHosts.some((own) => {
    const name = own.replace(/:\d+$/, '');
    // A parent of ours would take us with it.
    return host === name || host.endsWith(`.${name}`) || name.endsWith(`.${host}`);
  });
}

function isSharedSuffix(domain: string | null): boolean {
  return domain !== null && sharedHosts.has(domain);
}

function poison(problem: string): Judgement {
  return { kind: 'poison', problem };
}

function tooBroad(problem: string): Judgement {
  return { kind: 'too-broad', problem };
}
