/**
 * Makes `data/country.bin` from an unpacked `@ip-location-db/geo-whois-asn-country`:
 *   npm pack @ip-location-db/geo-whois-asn-country && tar xzf *.tgz
 *   node services/redirector/scripts/make-country-table.ts ./package
 */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  COUNTRY_FILE,
  type CountryRanges,
  encodeCountryRanges,
  UNKNOWN_COUNTRY,
} from '../src/country/country-table.ts';

interface Range {
  readonly first: bigint;
  readonly last: bigint;
  readonly country: string;
}

/**
 * IANA's special-purpose registries belong to no country. They override the data, which assigns some of them one
 * (192.168.0.0/16 is "AU" in the 2026-06-17 edition).
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
  '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap((line) => line.split(' '));
/** Only 2000::/3 is allocated, and it contains documentation, benchmarking and ORCHID ranges. */
const SPECIAL_IPV6: readonly (readonly [first: bigint, bits: number])[] = [
  [0x0000n << 112n, 3],
  [0x20010db8n << 96n, 32],
  [0x200100020000n << 80n, 48],
  [0x20010010n << 96n, 28],
  [0x20010020n << 96n, 28],
  [0x3fffn << 112n, 20],
  [0x4000n << 112n, 2],
  [0x8000n << 112n, 1],
];

const folder = process.argv[2];
if (folder === undefined) throw new Error('usage: make-country-table.ts FOLDER (the unpacked package)');

const ipv4 = flatten(read('geo-whois-asn-country-ipv4-num.csv'), SPECIAL_IPV4.map(specialIpv4), 32n);
// The first 64 bits decide: a network smaller than /64 has no country of its own.
const ipv6 = flatten(
  read('geo-whois-asn-country-ipv6-num.csv').map(firstHalf),
  SPECIAL_IPV6.map(([first, bits]) => firstHalf(block(first, bits, 128n))),
  64n,
);
const codes = [...new Set([...ipv4, ...ipv6].map(({ country }) => country))].sort();
const owner = (ranges: readonly Range[]) => Uint8Array.from(ranges, ({ country }) => codes.indexOf(country));
const ranges: CountryRanges = {
  codes,
  ipv4: { starts: Uint32Array.from(ipv4, ({ first }) => Number(first)), owner: owner(ipv4) },
  ipv6: {
    high: Uint32Array.from(ipv6, ({ first }) => Number(first >> 32n)),
    low: Uint32Array.from(ipv6, ({ first }) => Number(first & 0xffff_ffffn)),
    owner: owner(ipv6),
  },
};
const file = encodeCountryRanges(ranges);
writeFileSync(COUNTRY_FILE, file);
console.log(`${ipv4.length} IPv4 and ${ipv6.length} IPv6 ranges, ${codes.length} codes, ${file.length} bytes`);

function read(name: string): Range[] {
  return readFileSync(path.join(folder!, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [first, last, country] = line.split(',');
      if (!/^[A-Z]{2}$/.test(country ?? '')) throw new Error(`${name}: no country in "${line}"`);
      return { first: BigInt(first!), last: BigInt(last!), country: country! };
    });
}

function firstHalf({ first, last, country }: Range): Range {
  return { first: first >> 64n, last: last >> 64n, country };
}

function specialIpv4(cidr: string): Range {
  const [address, bits] = cidr.split('/');
  const first = address!.split('.').reduce((value, octet) => value * 256n + BigInt(octet), 0n);
  return block(first, Number(bits), 32n);
}

function block(first: bigint, bits: number, width: bigint): Range {
  return { first, last: first + (1n << (width - BigInt(bits))) - 1n, country: UNKNOWN_COUNTRY };
}

/** Ranges without overlaps or gaps: of two that overlap the narrower wins, and special ranges win over all. */
function flatten(data: readonly Range[], special: readonly Range[], width: bigint): Range[] {
  // Written from the widest to the narrowest, the special ones last.
  const ordered = [...data].sort((a, b) => compare(b.last - b.first, a.last - a.first)).concat(special);
  const edges = [...new Set(ordered.flatMap(({ first, last }) => [first, last + 1n]).concat(0n))].sort(compare);
  const position = new Map(edges.map((edge, i) => [edge, i]));
  const countries: string[] = edges.map(() => UNKNOWN_COUNTRY);
  for (const { first, last, country } of ordered) {
    countries.fill(country, position.get(first)!, position.get(last + 1n)!);
  }
  return edges
    .map((first, i) => ({ first, last: (edges[i + 1] ?? 1n << width) - 1n, country: countries[i]! }))
    .filter(({ first, country }, i) => first < 1n << width && (i === 0 || country !== countries[i - 1]));
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
