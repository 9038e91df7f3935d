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

/** Without leading zeros: to some programs `010` is ten, to others eight. */
const DECIMAL = /^(?:0|[1-9]\d{0,2})$/;
/** No spelling of an address is longer. */
const LONGEST = '[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]'.length;

/** From dotted decimal, or from IPv6 in any spelling (brackets allowed, no zone). Undefined for everything else. */
export function parseIp(text: string): IpAddress | undefined {
  if (text.length > LONGEST) return undefined;
  const four = parseIpv4(text);
  if (four !== undefined) return { family: 4, value: four };
  const six = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  const value = parseIpv6(six);
  return value === undefined ? undefined : { family: 6, value };
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

/** Whether an address is one of the public Internet: globally routed unicast, and no tunnel to something else. */
export function isPublicIp(ip: IpAddress): boolean {
  if (ip.family === 4) return !NOT_PUBLIC_V4.some((cidr) => cidrContains(cidr, ip));
  return cidrContains(UNICAST_V6, ip) && !NOT_PUBLIC_V6.some((cidr) => cidrContains(cidr, ip));
}

function network({ family, value }: IpAddress, prefix: number): bigint {
  return value >> BigInt((family === 4 ? 32 : 128) - prefix);
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => DECIMAL.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseIpv6(text: string): bigint | undefined {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(':')) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [before, after] = halves as [string, string?];
  const head = groupsOf(before, after === undefined);
  const tail = after === undefined ? [] : groupsOf(after, true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...new Array<number>(missing).fill(0), ...tail];
  return groups.reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

/** An IPv4 address may stand for the last two groups of the whole. */
function groupsOf(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [at, part] of parts.entries()) {
    const four = isEnd && at === parts.length - 1 ? parseIpv4(part) : undefined;
    if (four !== undefined) groups.push(Number(four >> 16n), Number(four & 0xffffn));
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

/** IANA special-purpose registries (RFC 6890 and later), multicast and the reserved top. */
const NOT_PUBLIC_V4 = cidrs(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
   192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
   224.0.0.0/4 240.0.0.0/4`,
);
/** All that is public in IPv6 is here; mapped, translated, unique local and link-local addresses are not. */
const UNICAST_V6 = parseCidr('2000::/3')!;
/** Protocol assignments with Teredo and ORCHID, documentation, 6to4. */
const NOT_PUBLIC_V6 = cidrs('2001::/23 2001:db8::/32 2002::/16 3fff::/20');

function cidrs(list: string): readonly Cidr[] {
  return list.split(/\s+/).map((text) => parseCidr(text)!);
}
