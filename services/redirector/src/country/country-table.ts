/**
 * Finds the country of an address. `scripts/make-country-table.ts` makes the file. It is small (brotli over
 * differences), and takes some 20 ms to read at start, where the CSV would take 400.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { mappedIpv4, parseIpv4, parseIpv6 } from '@waypost/domain';

export const UNKNOWN_COUNTRY = 'ZZ';
export const COUNTRY_FILE = fileURLToPath(new URL('../../data/country.bin', import.meta.url));

/**
 * The ISO 3166-1 alpha-2 code of an address in text form, `ZZ` if it has none (private, reserved, unknown, no address).
 */
export type CountryOf = (address: string) => string;

/**
 * Ranges in order, each up to the next: from `starts[i]` onwards the code is `codes[owner[i]]`. The first starts at 0.
 */
export interface CountryRanges {
  readonly codes: readonly string[];
  readonly ipv4: { readonly starts: Uint32Array; readonly owner: Uint8Array };
  /** The first 64 bits of the address, in two halves. */
  readonly ipv6: { readonly high: Uint32Array; readonly low: Uint32Array; readonly owner: Uint8Array };
}

export function openCountryTable(): CountryOf {
  return countryLookup(decodeCountryRanges(readFileSync(COUNTRY_FILE)));
}

export function countryLookup({ codes, ipv4, ipv6 }: CountryRanges): CountryOf {
  const index = firstLevelIndex(ipv4.starts);
  return (address) => {
    const v4 = parseIpv4(address);
    if (v4 !== -1) return codes[ipv4.owner[findIpv4(ipv4.starts, index, v4)]!]!;
    const groups = parseIpv6(address);
    if (groups === undefined) return UNKNOWN_COUNTRY;
    const mapped = mappedIpv4(groups);
    if (mapped !== -1) return codes[ipv4.owner[findIpv4(ipv4.starts, index, mapped)]!]!;
    const high = groups[0]! * 65_536 + groups[1]!;
    const low = groups[2]! * 65_536 + groups[3]!;
    return codes[ipv6.owner[findIpv6(ipv6.high, ipv6.low, high, low)]!]!;
  };
}

/** For each /16, the range that its first address is in, so that a search visits only some ranges. */
function firstLevelIndex(starts: Uint32Array): Uint32Array {
  const index = new Uint32Array(65_537);
  let range = 0;
  for (let prefix = 0; prefix < 65_536; prefix += 1) {
    const first = prefix * 65_536;
    while (range + 1 < starts.length && starts[range + 1]! <= first) range += 1;
    index[prefix] = range;
  }
  index[65_536] = starts.length - 1;
  return index;
}

function findIpv4(starts: Uint32Array, index: Uint32Array, address: number): number {
  const prefix = address >>> 16;
  let from = index[prefix]!;
  let to = index[prefix + 1]!;
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    if (starts[middle]! <= address) from = middle;
    else to = middle - 1;
  }
  return from;
}

function findIpv6(highs: Uint32Array, lows: Uint32Array, high: number, low: number): number {
  let from = 0;
  let to = highs.length - 1;
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    const start = highs[middle]!;
    if (start < high || (start === high && lows[middle]! <= low)) from = middle;
    else to = middle - 1;
  }
  return from;
}

/*
 * The file, before compression, little-endian: "WPC1", u32 count of codes, of IPv4 and of IPv6 ranges; the codes (2
 * bytes each, padded to 4); the differences of the IPv4 starts, of the high and of the low halves of the IPv6 starts
 * (u32 columns, each as four planes of bytes, which compress far better); the owners (u8 columns).
 */
const MAGIC = 0x31435057;

export function encodeCountryRanges({ codes, ipv4, ipv6 }: CountryRanges): Buffer {
  const header = new Uint32Array([MAGIC, codes.length, ipv4.starts.length, ipv6.high.length]);
  const names = Buffer.alloc(Math.ceil(codes.length / 2) * 4);
  names.write(codes.join(''), 'latin1');
  const columns = [ipv4.starts, ipv6.high, ipv6.low].map(toPlanes);
  const plain = Buffer.concat([Buffer.from(header.buffer), names, ...columns, ipv4.owner, ipv6.owner]);
  return brotliCompressSync(plain, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
}

export function decodeCountryRanges(file: Buffer): CountryRanges {
  const plain = brotliDecompressSync(file);
  if (plain.readUInt32LE(0) !== MAGIC) throw new Error('not a country table of this version: run make-country-table');
  const [codeCount, v4Count, v6Count] = [plain.readUInt32LE(4), plain.readUInt32LE(8), plain.readUInt32LE(12)];
  let at = 16;
  const take = (bytes: number) => {
    at += bytes;
    return plain.subarray(at - bytes, at);
  };

  const names = take(Math.ceil(codeCount / 2) * 4).toString('latin1');
  const codes = Array.from({ length: codeCount }, (_, i) => names.slice(i * 2, i * 2 + 2));
  const starts = fromPlanes(take(v4Count * 4), v4Count);
  const high = fromPlanes(take(v6Count * 4), v6Count);
  const low = fromPlanes(take(v6Count * 4), v6Count);
  // Copied, so that the large buffer behind these views can be freed.
  const ipv4 = { starts, owner: new Uint8Array(take(v4Count)) };
  const ipv6 = { high, low, owner: new Uint8Array(take(v6Count)) };
  return { codes, ipv4, ipv6 };
}

function toPlanes(column: Uint32Array): Uint8Array {
  const count = column.length;
  const planes = new Uint8Array(count * 4);
  let previous = 0;
  for (let i = 0; i < count; i += 1) {
    const difference = (column[i]! - previous) >>> 0;
    previous = column[i]!;
    for (let plane = 0; plane < 4; plane += 1) planes[plane * count + i] = difference >>> (plane * 8);
  }
  return planes;
}

function fromPlanes(planes: Uint8Array, count: number): Uint32Array {
  const column = new Uint32Array(count);
  let value = 0;
  for (let i = 0; i < count; i += 1) {
    const difference =
      planes[i]! | (planes[count + i]! << 8) | (planes[2 * count + i]! << 16) | (planes[3 * count + i]! << 24);
    value = (value + difference) >>> 0;
    column[i] = value;
  }
  return column;
}
