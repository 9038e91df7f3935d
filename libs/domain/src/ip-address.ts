import { BlockList, isIP } from 'node:net';

/**
 * Returns the IP address in the host of a URL, without the brackets of IPv6. Returns undefined for a name, or for an
 * address with a zone.
 */
export function addressIn(host: string): string | undefined {
  // Most hosts are names, and the patterns of `isIP` are slow.
  if (!/^[0-9]|:/.test(host)) return undefined;
  const text = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  return isIP(text) !== 0 && !text.includes('%') ? text : undefined;
}

/** Parses networks like `10.0.0.0/8` or `fd00::/8`, and addresses. `others` has the entries that are neither. */
export function parseNetworks(entries: readonly string[]): { networks: BlockList; others: string[] } {
  const networks = new BlockList();
  const others: string[] = [];
  for (const entry of entries) {
    const [, address, prefix] = /^([^/]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(entry) ?? [];
    const ip = addressIn(address ?? '');
    const bits = ip !== undefined && isIP(ip) === 4 ? 32 : 128;
    const length = Number(prefix ?? bits);
    if (ip === undefined || length > bits) others.push(entry);
    else networks.addSubnet(ip, length, familyOf(ip));
  }
  return { networks, others };
}

/** `ip` has no brackets and no zone. `::ffff:a.b.c.d` and `a.b.c.d` count as the same address. */
export const isIn = (networks: BlockList, ip: string): boolean => networks.check(ip, familyOf(ip));

/** True for a globally routed unicast address. One that leads through a tunnel to another is not public. */
export function isPublicIp(ip: string): boolean {
  return !isIn(NOT_PUBLIC, ip) && (isIP(ip) === 4 || isIn(UNICAST_V6, ip));
}

const familyOf = (ip: string) => (isIP(ip) === 4 ? 'ipv4' : 'ipv6');
const networks = (list: string) => parseNetworks(list.split(/\s+/)).networks;

/**
 * Addresses that a cloud took from the public range for its own platform, and that answer only inside it: Azure's
 * WireServer, IBM Cloud's services. Every other cloud's are in NOT_PUBLIC: link-local, 100.100.100.200, 192.0.0.192.
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 https://cloud.ibm.com/docs/vpc
 */
const CLOUD_PLATFORMS = '168.63.129.16 161.26.0.0/16 166.8.0.0/14';

/**
 * From the IANA special-purpose registries (RFC 6890 and later), with multicast and the reserved top range. For IPv6:
 * protocol assignments with Teredo and ORCHID, documentation, and 6to4.
 */
const NOT_PUBLIC = networks(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
   192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
   224.0.0.0/4 240.0.0.0/4 2001::/23 2001:db8::/32 2002::/16 3fff::/20
   ${CLOUD_PLATFORMS}`,
);
/** All public IPv6 addresses are in this range. Mapped, translated, unique local and link-local addresses are not. */
const UNICAST_V6 = networks('2000::/3');
