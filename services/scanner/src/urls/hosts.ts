/** The public suffix list, as the scanner needs it. tldts carries it: its ship date is the date of the list. */
import { getDomain, getPublicSuffix, parse } from 'tldts';

const PLAIN = { extractHostname: false, validateHostname: false, mixedInputs: false } as const;

/** The registrable domain by the ICANN section alone: `github.io` for `x.github.io`. Null for a public suffix. */
export function registrableDomain(host: string): string | null {
  return getDomain(host, { ...PLAIN, allowPrivateDomains: false });
}

/**
 * The part of a host that one party controls: the registrable domain with the private section on (`x.github.io`).
 * Null for an IP address and for a suffix itself.
 */
export function tenantOf(host: string): string | null {
  return getDomain(host, { ...PLAIN, allowPrivateDomains: true });
}

export function publicSuffixOf(host: string): string | null {
  return getPublicSuffix(host, { ...PLAIN, allowPrivateDomains: true });
}

/** Whether this is a suffix under which many parties have names: listed by either section, not merely unknown. */
export function isPublicSuffix(host: string): boolean {
  const { domain, isIcann, isPrivate } = parse(host, { ...PLAIN, allowPrivateDomains: true });
  return domain === null && (isIcann === true || isPrivate === true);
}

/** Whether a host stands under a suffix of the private section: hosting where anybody can have a name. */
export function isUnderPrivateSuffix(host: string): boolean {
  const { domain, isPrivate } = parse(host, { ...PLAIN, allowPrivateDomains: true });
  return domain !== null && isPrivate === true;
}
