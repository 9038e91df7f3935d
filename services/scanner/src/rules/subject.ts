/** The URL as the rules see it: parsed once, with the facts about its host. */
import { domainToUnicode } from 'node:url';
import { addressIn, isPublicIp } from '@waypost/domain';
import { MOST_VISITED, SHARED_HOSTS } from '../data.ts';
import { isUnderPrivateSuffix, publicSuffixOf, registrableDomain, tenantOf } from '../urls/hosts.ts';
import { isOfficial } from './brand-names.ts';

export interface Subject {
  /** As sent (a nested URL: as found), trimmed. */
  readonly raw: string;
  readonly url: URL;
  /** Without a trailing dot. */
  readonly host: string;
  /** The host in its own script. */
  readonly unicodeHost: string;
  /** The host is an IP address of the public Internet. */
  readonly isIp: boolean;
  /** Registrable domain by the ICANN section. */
  readonly domain: string;
  /** The registrable domain with the private section: what one party controls. */
  readonly tenant: string;
  /** The public suffix, private section included, or the name of the hosting service. */
  readonly suffix: string;
  /** Labels before the suffix; none of an IP address. */
  readonly labels: readonly string[];
  /** The first label of the tenant: the registered name. */
  readonly registeredName: string;
  /** Whether its registrable domain is among the most visited, and it is not one tenant of many there; or it is a
   * brand's own, or a proxy. */
  readonly isRanked: boolean;
  /** Whether it is one of many tenants of a hosting service. */
  readonly isFreeHosting: boolean;
  /** The decoded path, for reading only. */
  readonly path: string;
}

const ranked = new Set(MOST_VISITED);
const sharedSuffixes = new Set(SHARED_HOSTS.filter((name) => name.startsWith('.')).map((name) => name.slice(1)));
const MOST_LABELS = Math.max(...[...sharedSuffixes].map((suffix) => suffix.split('.').length));
const sharedExactly = new Set(SHARED_HOSTS.filter((name) => !name.startsWith('.')));

/** Services that show another site's page under a name derived from that site's, and documentation of products. */
const PROXIES =
  /(?:^|\.)(?:readthedocs\.io|js\.org|translate\.goog|ampproject\.org|turbopages\.org|archive\.org|googleusercontent\.com)$/;
/** Names that a hosting service keeps to itself: `www.weebly.com` is no tenant's. */
const SERVICES_OWN = new Set(
  'www login app api docs help support account accounts dashboard status blog admin developer developers static cdn'.split(
    ' ',
  ),
);

export function subjectOf(raw: string, url: URL): Subject {
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname;
  const ip = /^[\d[]/.test(host) ? addressIn(host) : undefined;
  const domain = ip === undefined ? (registrableDomain(host) ?? host) : host;
  const sharedSuffix = sharedSuffixUnder(host, domain);
  const tenant =
    ip !== undefined ? host : sharedSuffix === undefined ? (tenantOf(host) ?? host) : belowSuffix(host, sharedSuffix);
  const suffix = sharedSuffix ?? publicSuffixOf(host) ?? '';
  const labels = ip !== undefined ? [] : host.slice(0, Math.max(0, host.length - suffix.length - 1)).split('.');
  const isKnown = PROXIES.test(host) || isOfficial(tenant);
  const isFreeHosting =
    ip === undefined &&
    !sharedExactly.has(host) &&
    !isKnown &&
    !SERVICES_OWN.has(labels.at(-1) ?? '') &&
    (sharedSuffix !== undefined || isUnderPrivateSuffix(host));
  return {
    raw,
    url,
    host,
    unicodeHost: host.includes('xn--') ? domainToUnicode(host) : host,
    isIp: ip !== undefined && isPublicIp(ip),
    domain,
    tenant,
    suffix,
    labels,
    registeredName: labels.at(-1) ?? '',
    isRanked: isKnown || (ranked.has(domain) && !isFreeHosting),
    isFreeHosting,
    path: decodedPath(url.pathname),
  };
}

/** The longest match, searched from the end: a host may have a hundred labels. */
function sharedSuffixUnder(host: string, domain: string): string | undefined {
  let found: string | undefined;
  let at = host.length - domain.length;
  for (let labels = 0; at > 0 && labels <= MOST_LABELS; labels++) {
    const suffix = host.slice(at);
    if (sharedSuffixes.has(suffix)) found = suffix;
    at = host.lastIndexOf('.', at - 2) + 1;
  }
  return found;
}

function belowSuffix(host: string, suffix: string): string {
  const left = host.slice(0, -suffix.length - 1);
  return host.slice(left.lastIndexOf('.') + 1);
}

function decodedPath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
