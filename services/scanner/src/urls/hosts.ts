/** The public suffix list, as the scanner needs it. tldts contains it: its release date is the date of the list. */

import { memo } from '@waypost/resilience';
import { getDomain, parse } from 'tldts';

const PLAIN = { extractHostname: false, validateHostname: false, mixedInputs: false } as const;
/** Remembered, since links of one customer often lead to the same few. */
export const HOSTS = 2_000;

/** The registrable domain by the ICANN section only: `github.io` for `x.github.io`. Null for a public suffix. */
export const registrableDomain = memo(
  (host): string | null => getDomain(host, { ...PLAIN, allowPrivateDomains: false }),
  HOSTS,
);

const withPrivateSection = memo((host) => parse(host, { ...PLAIN, allowPrivateDomains: true }), HOSTS);

/**
 * The part of a host that one party controls: the registrable domain with the private section (`x.github.io`).
 * Null for an IP address and for a suffix itself.
 */
export function tenantOf(host: string): string | null {
  return withPrivateSection(host).domain;
}

export function publicSuffixOf(host: string): string | null {
  return withPrivateSection(host).publicSuffix;
}

/** Whether this is a suffix under which many parties have names: either section lists it; it is not just unknown. */
export function isPublicSuffix(host: string): boolean {
  const { domain, isIcann, isPrivate } = withPrivateSection(host);
  return domain === null && (isIcann === true || isPrivate === true);
}

/** Whether a host is below a suffix of the private section: a hosting service where anybody can have a name. */
export function isUnderPrivateSuffix(host: string): boolean {
  const { domain, isPrivate } = withPrivateSection(host);
  return domain !== null && isPrivate === true;
}

/** A name below an existing suffix, with or without a port, or an IPv4 address: a host and not a file name. */
export function isKnownName(text: string): boolean {
  const host = text.replace(/\.?(?::\d*)?$/, '').toLowerCase();
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host)) return true;
  const { domain, isIcann, isPrivate } = withPrivateSection(host);
  return domain !== null && (isIcann === true || isPrivate === true);
}
