/** The public suffix list. It is a part of tldts, so it is as old as the release of tldts. */
import { getDomain, parse } from 'tldts';

const ICANN = { extractHostname: false, validateHostname: false, mixedInputs: false, allowPrivateDomains: false };
const WITH_PRIVATE = { ...ICANN, allowPrivateDomains: true };

let lastHost = '';
let lastParts = parse(lastHost, WITH_PRIVATE);

/** A verdict asks four times for the same host. */
function partsOf(host: string) {
  if (host !== lastHost) {
    lastParts = parse(host, WITH_PRIVATE);
    lastHost = host;
  }
  return lastParts;
}

/** The registrable domain by the ICANN section only: `github.io` for `x.github.io`. Null for a public suffix. */
export function registrableDomain(host: string): string | null {
  const { domain, isPrivate } = partsOf(host);
  return isPrivate ? getDomain(host, ICANN) : domain;
}

/** The part of a host that one party controls (`x.github.io`). Null for an IP address and for a suffix. */
export function tenantOf(host: string): string | null {
  return partsOf(host).domain;
}

/** `isPrivate`: the host is below a suffix of the private section, of a service where anybody can have a name. */
export function privateSectionOf(host: string) {
  const { domain: tenant, publicSuffix, isPrivate } = partsOf(host);
  return { tenant, publicSuffix, isPrivate: tenant !== null && isPrivate === true };
}

export function isPublicSuffix(host: string): boolean {
  const { domain, isIcann, isPrivate } = partsOf(host);
  return domain === null && (isIcann === true || isPrivate === true);
}

/** Whether the text is a host and not a file name: a name below a listed suffix or an IPv4 address, maybe a port. */
export function isHost(text: string): boolean {
  const host = text.replace(/\.?(?::\d*)?$/, '').toLowerCase();
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host)) return true;
  const { domain, isIcann, isPrivate } = parse(host, WITH_PRIVATE);
  return domain !== null && (isIcann === true || isPrivate === true);
}
