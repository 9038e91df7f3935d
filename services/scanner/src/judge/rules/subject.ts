import { domainToUnicode } from 'node:url';
import { addressIn, isPublicIp, percentDecoded } from '@waypost/domain';
import { MOST_VISITED, SHARED_HOSTS } from '../../data.ts';
import { privateSectionOf, registrableDomain } from '../urls/hosts.ts';
import { isOfficial } from './brand-names.ts';

export interface Subject {
  /** As sent, trimmed; of a nested URL, as written there. */
  readonly raw: string;
  readonly url: URL;
  /** Without a trailing dot. */
  readonly host: string;
  readonly unicodeHost: string;
  readonly isIp: boolean;
  /** Registrable domain by the ICANN section. */
  readonly domain: string;
  /** The registrable domain with the private section, which one party controls. */
  readonly tenant: string;
  /** The public suffix, private section included, or the name of the hosting service. */
  readonly suffix: string;
  /** The host without the suffix. Empty for an IP address. */
  readonly name: string;
  /** Labels of the name; an IP address has none. */
  readonly labels: readonly string[];
  readonly registeredName: string;
  /** Of the labels, between dots, hyphens and underscores. */
  readonly words: readonly string[];
  /** Whether the host belongs to a much visited site, a brand or a proxy, and is no tenant there. */
  readonly isRanked: boolean;
  /** Whether the host is an official one of a brand, under whatever name it is registered. */
  readonly isOfficial: boolean;
  /** Whether it is one of many tenants of a hosting service. */
  readonly isFreeHosting: boolean;
  /** The decoded path. */
  readonly path: string;
}

const ranked = new Set(MOST_VISITED);
const sharedSuffixes = new Set(SHARED_HOSTS.filter((name) => name.startsWith('.')).map((name) => name.slice(1)));
const MOST_LABELS = Math.max(...[...sharedSuffixes].map((suffix) => suffix.split('.').length));
const sharedExactly = new Set(SHARED_HOSTS.filter((name) => !name.startsWith('.')));

/** Services that show other sites' pages, and documentation of products. */
const PROXIES =
  /(?:^|\.)(?:(?:ampproject|archive|js|turbopages)\.org|readthedocs\.io|translate\.goog|googleusercontent\.com)$/;
/** Names that a hosting service keeps to itself: `www.weebly.com` is no tenant's. */
const SERVICES_OWN = new Set(
  `www login app api docs help support account accounts dashboard status blog admin developer developers static
   cdn`.split(/\s+/),
);

export function subjectOf(raw: string, url: URL): Subject {
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  const ip = /^[\d[]/.test(host) ? addressIn(host) : undefined;
  const section = privateSectionOf(host);
  const domain = ip !== undefined ? host : (registrableDomain(host) ?? host);
  const sharedSuffix = sharedSuffixUnder(host, domain);
  const tenant =
    ip !== undefined ? host : sharedSuffix === undefined ? (section.tenant ?? host) : belowSuffix(host, sharedSuffix);
  const suffix = sharedSuffix ?? section.publicSuffix ?? '';
  const name = ip !== undefined ? '' : host.slice(0, Math.max(0, host.length - suffix.length - 1));
  const labels = ip !== undefined ? [] : name.split('.');
  const isOfficialTenant = isOfficial(tenant);
  const isTrusted = isOfficialTenant || PROXIES.test(host);
  const isFreeHosting =
    ip === undefined &&
    !sharedExactly.has(host) &&
    !isTrusted &&
    !SERVICES_OWN.has(labels.at(-1) ?? '') &&
    (sharedSuffix !== undefined || section.isPrivate);
  return {
    raw,
    url,
    host,
    unicodeHost: host.includes('xn--') ? domainToUnicode(host) : host,
    isIp: ip !== undefined && isPublicIp(ip),
    domain,
    tenant,
    suffix,
    name,
    labels,
    registeredName: labels.at(-1) ?? '',
    words: name.split(/[-_.]/).filter((word) => word !== ''),
    isOfficial: isOfficialTenant || (!isFreeHosting && isOfficial(domain)) || isOfficial(host),
    isRanked: isTrusted || (ranked.has(domain) && !isFreeHosting),
    isFreeHosting,
    path: percentDecoded(url.pathname) ?? url.pathname,
  };
}

/** The longest match. Searches from the end, since a host may have a hundred labels. */
function sharedSuffixUnder(host: string, domain: string): string | undefined {
  let longest: string | undefined;
  let at = host.length - domain.length;
  for (let labels = 0; at > 0 && labels <= MOST_LABELS; labels++) {
    const suffix = host.slice(at);
    if (sharedSuffixes.has(suffix)) longest = suffix;
    at = host.lastIndexOf('.', at - 2) + 1;
  }
  return longest;
}

function belowSuffix(host: string, suffix: string): string {
  const prefix = host.slice(0, -suffix.length - 1);
  return host.slice(prefix.lastIndexOf('.') + 1);
}
