/**
 * The URL policy decides which destinations a link may have (docs/contract.md, Destinations). `new URL()` alone is not
 * enough, because it repairs URLs that must be refused. Then the person would read one address, the scanner another,
 * and the browser a third. So the rules check the raw text first, then the parsed URL.
 */
import { BlockList } from 'node:net';
import { domainToUnicode } from 'node:url';
import { addressIn, isIn, isPublicIp, parseNetworks } from './ip-address.ts';
import { LIMITS } from './limits.ts';
import { trimmed, unsafeTextProblem } from './text.ts';

/** The hosts in `DESTINATION_HOSTS_ALLOWED`. They are allowed on any port, although the policy would refuse them. */
export interface AllowedHosts {
  /** Exact names. A name that begins with a dot allows all names below it. */
  readonly hosts: readonly string[];
  readonly networks: BlockList;
}

export interface UrlPolicy {
  /** Uses the ICANN section of the public suffix list. Returns null if `host` itself is a public suffix. */
  registrableDomain(host: string): string | null;
  /**
   * The hosts of this service. `host:port` is that host alone, on every port; if the host is also allowed, on this port
   * only, since on a developer's machine both are `localhost`. `host` includes its subdomains, except allowed ones.
   */
  readonly ownHosts: readonly string[];
  readonly allowed: AllowedHosts;
}

export function ownHostOf(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}

export type CheckedDestination =
  | {
      readonly ok: true;
      /** The URL as sent, without white space at its ends. */
      readonly destinationUrl: string;
      /** Do not modify this object. */
      readonly url: URL;
      /** The URL in its WHATWG serialisation, as the `Location` header contains it. */
      readonly href: string;
      /** True if only `DESTINATION_HOSTS_ALLOWED` permits the host. */
      readonly allowedHost: boolean;
    }
  /** A text for people. The name of the field comes before it. */
  | { readonly ok: false; readonly problem: string };

export const NO_ALLOWED_HOSTS: AllowedHosts = { hosts: [], networks: new BlockList() };

const MAX_BYTES = LIMITS.destinationUrlBytes;
/** In UTF-16 units. Longer input is refused at once, because a pasted URL never has so much white space around it. */
const MAX_UNTRIMMED = MAX_BYTES + 512;

const START = /^https?:\/\/(?![/\\])/i;

export function checkDestinationUrl(input: unknown, policy: UrlPolicy): CheckedDestination {
  if (typeof input !== 'string') return refused('must be a string');
  if (input.length > MAX_UNTRIMMED) return refused(TOO_LONG);
  const text = trimmed(input);
  const authority = authorityOf(text);
  if (typeof authority !== 'string') return refused(authority.problem);

  const url = URL.parse(text);
  if (url === null) return refused('is not a valid URL: its host or port cannot be read');
  if (isTooLong(url.href)) return refused(TOO_LONG);

  const host = withoutTrailingDot(url.hostname);
  const allowedHost = isAllowedHost(host, policy.allowed);
  const problem =
    ownHostProblem(host, url, policy, allowedHost) ??
    (allowedHost ? undefined : hostProblem(host, policy)) ??
    portProblem(url.port, allowedHost);
  if (problem !== undefined) return refused(problem);
  return { ok: true, destinationUrl: text, url, href: url.href, allowedHost };
}

/** Throws an error that names every malformed entry. */
export function parseAllowed(list: readonly string[]): AllowedHosts {
  const hosts: string[] = [];
  const malformed: string[] = [];
  const { networks, others } = parseNetworks(list);
  for (const entry of others) {
    const host = hostName(entry);
    if (host !== undefined) hosts.push(host);
    else malformed.push(entry);
  }
  if (malformed.length > 0) {
    throw new Error(`not a host name or CIDR: ${malformed.map((entry) => JSON.stringify(entry)).join(', ')}`);
  }
  return { hosts, networks };
}

/** Returns the part between `//` and the path, or the problem of the URL. */
function authorityOf(text: string): string | { problem: string } {
  if (text === '') return { problem: 'must not be empty' };
  if (isTooLong(text)) return { problem: TOO_LONG };
  const unsafe = unsafeTextProblem(text);
  if (unsafe !== undefined) return { problem: unsafe };
  if (!START.test(text)) return { problem: 'must be an absolute URL that begins with http:// or https://' };
  if (/%(?:25)*00/.test(text)) return { problem: 'must not contain %00' };
  const authority = /^[^/?#]*/.exec(text.slice(text.indexOf('//') + 2))![0];
  if (authority === '') return { problem: 'must have a host' };
  if (authority.includes('@')) return { problem: 'must not contain a user name or password' };
  if (/[\s\\]/.test(authority)) return { problem: 'must not have white space or a backslash in its host' };
  return authority;
}

/** These top-level labels are not on the public Internet, or should not be (RFC 6761, 6762, 8375, 9476, and custom). */
const SPECIAL_USE = new Set(
  `alt arpa bit corp domain example home i2p internal intranet invalid lan local localdomain localhost mail onion
   private svc test workgroup`.split(/\s+/),
);

/**
 * The public suffix list says where names are registered, not where a site is: `gov.uk` is both. So only general
 * registries are refused: labels that stand directly below four or more top-level domains in the list's ICANN section
 * (publicsuffix.org, MPL-2.0, 2026-10-22), except a government's (gov, gob, gouv, go, mil).
 */
const GENERAL_SUFFIXES = new Set(
  `ac ai art asso biz co com coop ed edu eng firm fm i ia id in ind info int k12 ltd me med mobi name ne net nom nt or
   org press priv pro rec sc sch school store tm tv web`.split(/\s+/),
);

function hostProblem(host: string, policy: UrlPolicy): string | undefined {
  const ip = addressIn(host);
  if (ip !== undefined) return isPublicIp(ip) ? undefined : 'must not lead to a private or reserved IP address';
  const labels = host.split('.');
  const top = labels.at(-1)!;
  if (host.length > 253 || !HOST_NAME.test(host) || EDGE_HYPHEN.test(host)) return 'must have a valid host name';
  if (host.includes('xn--') && !labels.every(isReadable)) return 'must have a valid host name';
  if (labels.length < 2 || SPECIAL_USE.has(top)) return 'must have a public host name';
  if (!/^[a-z]+$/.test(top) && !top.startsWith('xn--')) return 'must have a public host name';
  const isSite = labels.length > 2 || !GENERAL_SUFFIXES.has(labels[0]!);
  if (policy.registrableDomain(host) === null && !isSite) return 'must have a public host name, not a public suffix';
  return undefined;
}

const HOST_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;
const EDGE_HYPHEN = /(?:^|\.)-|-(?:\.|$)/;

function isReadable(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  // If the punycode is invalid, this returns the label unchanged. `new URL()` does not check it.
  const text = domainToUnicode(label);
  // Punycode must encode something beyond ASCII, in normal form. IDNA forbids a stretched Arabic word (U+0640, U+07FA)
  // and a combining mark without a base.
  return !/^[\x00-\x7f]*$|[\u0640\u07fa]|^\p{M}/u.test(text) && isCleanText(text);
}

function isCleanText(text: string): boolean {
  return text.normalize('NFC') === text && unsafeTextProblem(text) === undefined;
}

function ownHostProblem(host: string, url: URL, policy: UrlPolicy, allowedHost: boolean): string | undefined {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const withColon = `${host}:`;
  const isOwn = policy.ownHosts.some((own) =>
    own.startsWith(withColon)
      ? !allowedHost || own === withColon + port
      : !allowedHost && (host === own || host.endsWith(`.${own}`)),
  );
  return isOwn ? 'must not lead back to this service' : undefined;
}

export function isAllowedHost(host: string, allowed: AllowedHosts): boolean {
  const ip = addressIn(host);
  if (ip !== undefined) return isIn(allowed.networks, ip);
  return allowed.hosts.some((name) => (name.startsWith('.') ? host.endsWith(name) : host === name));
}

/** The "bad ports" of the Fetch standard, then SMB, Redis and memcached. */
const BAD_PORTS = new Set(
  `1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135
   137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719
   1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080 445 6379 11211`.split(
    /\s+/,
  ),
);

function portProblem(port: string, allowedHost: boolean): string | undefined {
  if (port === '0') return 'must not use port 0';
  return BAD_PORTS.has(port) && !allowedHost ? `must not use port ${port}` : undefined;
}

function hostName(entry: string): string | undefined {
  const dot = entry.startsWith('.') ? '.' : '';
  const name = withoutTrailingDot(entry.slice(dot.length).toLowerCase());
  const valid =
    name.length > 0 && name.length <= 253 && name.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label));
  // "10.0.0.256" is a mistyped address, not a host name.
  return valid && !/(^|\.)\d+$/.test(name) ? dot + name : undefined;
}

function withoutTrailingDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host;
}

const TOO_LONG = `must be at most ${MAX_BYTES} bytes long`;

/** Compares the length in UTF-8 bytes. A UTF-16 unit has at most three bytes, so most URLs need not be encoded. */
function isTooLong(text: string): boolean {
  return text.length * 3 > MAX_BYTES && new TextEncoder().encode(text).length > MAX_BYTES;
}

function refused(problem: string): CheckedDestination {
  return { ok: false, problem };
}
