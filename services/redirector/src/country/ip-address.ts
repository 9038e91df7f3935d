/** Reads IP addresses as numbers, on the hot path: no allocation but the answer. */

const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;

/** The IPv4 address as an unsigned 32-bit number, or -1 if the text is not one. */
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
    } else if (code >= ZERO && code <= NINE && digits < 3) {
      octet = octet * 10 + (code - ZERO);
      digits += 1;
    } else return -1;
  }
  return octets === 4 ? value : -1;
}

/** The eight groups of an IPv6 address (a zone such as `%eth0` is ignored), or undefined if the text is not one. */
export function parseIpv6(text: string): Uint16Array | undefined {
  const zone = text.indexOf('%');
  const address = zone === -1 ? text : text.slice(0, zone);
  const gap = address.indexOf('::');
  const groups = new Uint16Array(8);
  if (gap === -1) return readGroups(address, groups) === 8 ? groups : undefined;

  const head = readGroups(address.slice(0, gap), groups);
  const tail = new Uint16Array(8);
  const tailCount = readGroups(address.slice(gap + 2), tail);
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

/** Writes the groups of `text` into `groups`; how many there were, or -1 if it is not a list of groups. */
function readGroups(text: string, groups: Uint16Array): number {
  if (text === '') return 0;
  const parts = text.split(':');
  let count = 0;
  for (let i = 0; i < parts.length; i += 1) {
    const part = parts[i]!;
    if (i === parts.length - 1 && part.includes('.')) {
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
