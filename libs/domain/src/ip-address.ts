/** IP addresses as numbers: what is public, and CIDRs. No names are resolved here. */

export interface Cidr {
  readonly family: 4 | 6;
  readonly base: bigint;
  readonly prefix: number;
}

export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

const DECIMAL = /^(?:0|[1-9]\d{0,2})$/;
/** The longest spelling of an address. */
const LONGEST = '[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]'.length;

/** From dotted decimal, or from IPv6 in any spelling (brackets allowed, no zone). Undefined for everything else. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > LONGEST) return undefined;
  const four = parseIpv4(text);
  if (four !== -1) return { family: 4, value: BigInt(four) };
  const six = parseIpv6(text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text);
  return six === undefined
    ? undefined
    : { family: 6, value: six.reduce((value, group) => (value << 16n) | BigInt(group), 0n) };
}

/** `10.0.0.0/8`, `fd00::/8`, or one address. Undefined if it is neither. */
export function parseCidr(text: string): Cidr | undefined {
  const [address = '', length, ...rest] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0) return undefined;
  const bits = ip.family === 4 ? 32 : 128;
  if (length !== undefined && !DECIMAL.test(length)) return undefined;
  const prefix = length === undefined ? bits : Number(length);
  return prefix > bits ? undefined : { family: ip.family, base: network(ip, prefix), prefix };
}

export function cidrContains(cidr: Cidr, ip: IpAddress): boolean {
  return cidr.family === ip.family && network(ip, cidr.prefix) === cidr.base;
}

/** Whether an address is on the public Internet: globally routed unicast, and no tunnel to something else. */
export function isPublicIp(ip: IpAddress): boolean {
  if (ip.family === 4) return !NOT_PUBLIC_V4.some((cidr) => cidrContains(cidr, ip));
  return cidrContains(UNICAST_V6, ip) && !NOT_PUBLIC_V6.some((cidr) => cidrContains(cidr, ip));
}

function network({ family, value }: IpAddress, prefix: number): bigint {
  return value >> BigInt((family === 4 ? 32 : 128) - prefix);
}

const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;

/**
 * The IPv4 address as an unsigned 32-bit number, or -1 if the text is not one. Runs for each click, so it allocates
 * nothing. No leading zeros: some programs read `010` as ten, others as eight.
 */
export function parseIpv4(text: string): number {
  let value = 0;
  let octet = 0;
  let digits = 0;
  let octets = 0;
  for (let i = 0; i <= text.length; i += 1) {
    const code = i === text.length ? DOT : text.charCodeAt(i);
    if (code === DOT) {
      if (digits === 0 || octet > 255 || octets === 4) return -1;
      value = value * 256 + octet;
      octets += 1;
      octet = 0;
      digits = 0;
    } else if (code >= ZERO && code <= NINE && digits < 3 && (digits === 0 || octet !== 0)) {
      octet = octet * 10 + (code - ZERO);
      digits += 1;
    } else return -1;
  }
  return octets === 4 ? value : -1;
}

/** The eight groups of an IPv6 address without a zone, or undefined if the text is not one. */
export function parseIpv6(text: string): Uint16Array | undefined {
  if (text.length > LONGEST) return undefined;
  const gap = text.indexOf('::');
  const groups = new Uint16Array(8);
  if (gap === -1) return readGroups(text, groups, true) === 8 ? groups : undefined;

  const head = readGroups(text.slice(0, gap), groups, false);
  const tail = new Uint16Array(8);
  const tailCount = readGroups(text.slice(gap + 2), tail, true);
  if (head === -1 || tailCount === -1 || head + tailCount > 7) return undefined;
  groups.fill(0, head);
  groups.set(tail.subarray(0, tailCount), 8 - tailCount);
  return groups;
}

/** The IPv4 address inside `::ffff:a.b.c.d`, or -1. */
export function mappedIpv4(groups: Uint16Array): number {
  for (let i = 0; i < 5; i += 1) if (groups[i] !== 0) return -1;
  return groups[5] === 0xffff ? groups[6]! * 65_536 + groups[7]! : -1;
}

export function formatIpv4(address: number): string {
  return `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`;
}

/**
 * Writes the groups of `text` into `groups` and returns their number, or -1 if the text is not a list of groups. An
 * IPv4 address may replace the last two groups.
 */
function readGroups(text: string, groups: Uint16Array, isEnd: boolean): number {
  if (text === '') return 0;
  const parts = text.split(':');
  let count = 0;
  for (let i = 0; i < parts.length; i += 1) {
    const part = parts[i]!;
    if (isEnd && i === parts.length - 1 && part.includes('.')) {
      const embedded = parseIpv4(part);
      if (embedded === -1 || count > 6) return -1;
      groups[count] = embedded >>> 16;
      groups[count + 1] = embedded & 0xffff;
      count += 2;
    } else {
      if (count > 7 || !/^[0-9a-fA-F]{1,4}$/.test(part)) return -1;
      groups[count] = Number.parseInt(part, 16);
      count += 1;
    }
  }
  return count;
}

/** IANA special-purpose registries (RFC 6890 and later), multicast and the reserved top. */
const NOT_PUBLIC_V4 = cidrs(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
   192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
   224.0.0.0/4 240.0.0.0/4`,
);
/** All public IPv6 is within this; mapped, translated, unique local and link-local addresses are not. */
const UNICAST_V6 = parseCidr('2000::/3')!;
/** Protocol assignments with Teredo and ORCHID, documentation, 6to4. */
const NOT_PUBLIC_V6 = cidrs('2001::/23 2001:db8::/32 2002::/16 3fff::/20');

function cidrs(list: string): readonly Cidr[] {
  return list.split(/\s+/).map((text) => parseCidr(text)!);
}
