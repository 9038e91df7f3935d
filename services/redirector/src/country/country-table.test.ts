import { describe, expect, test } from '@jest/globals';
import { formatIpv4, parseIpv4, parseIpv6 } from '@waypost/domain';
import { leastCpuMs } from '@waypost/test-support';
import fc from 'fast-check';
import { countryLookup, decodeCountryRanges, encodeCountryRanges, openCountryTable } from './country-table.ts';

describe('the shipped table', () => {
  const countryOf = openCountryTable();

  test.each([
    ['8.8.8.8', 'US'],
    ['193.0.6.139', 'NL'],
    ['200.160.2.3', 'BR'],
    ['2001:67c:2e8:22::c100:68b', 'NL'],
    ['::ffff:8.8.8.8', 'US'],
    ['::ffff:808:808', 'US'],
  ])('%s belongs to %s', (address, country) => {
    expect(countryOf(address)).toBe(country);
  });

  test.each([
    ...'127.0.0.1 10.1.2.3 172.31.255.255 192.168.0.1 169.254.1.1 100.64.0.1 0.0.0.0 255.255.255.255'.split(' '),
    ...['::', '::1', 'fe80::1%eth0', 'fc00::1', 'ff02::1', '2001:db8::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ...['', 'nonsense', '1.2.3', '1.2.3.4.5', '256.1.1.1', '1:2:3', ':::', '1::2::3', '::12345', '1.2.3.4::'],
  ])('"%s" belongs to nobody', (address) => {
    expect(countryOf(address)).toBe('ZZ');
  });

  test('opens with little work, and answers in microseconds', () => {
    expect(leastCpuMs(openCountryTable)).toBeLessThan(150); // 25 ms on an idle machine
    const lookup = openCountryTable();
    const manyMs = leastCpuMs(() => {
      for (let n = 0; n < 100_000; n += 1) lookup(formatIpv4((n * 42_949) >>> 0));
    });
    expect(manyMs / 100).toBeLessThan(10);
  });
});

test('a table comes back from its file as it was, and finds what a linear search finds', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat({ max: 0xffff_ffff }), { maxLength: 50 }),
      fc.array(fc.nat({ max: 0xffff_ffff })),
      (edges, asked) => {
        const starts = Uint32Array.from([0, ...edges.filter((edge) => edge !== 0)].sort((a, b) => a - b));
        const owner = Uint8Array.from(starts, (_, i) => i % 3);
        const zeros = new Uint32Array(starts.length);
        const ranges = {
          codes: ['AA', 'BB', 'ZZ'],
          ipv4: { starts, owner },
          ipv6: { high: starts, low: zeros, owner },
        };
        const countryOf = countryLookup(decodeCountryRanges(encodeCountryRanges(ranges)));
        for (const address of [...asked, ...starts]) {
          const expected = ranges.codes[owner[starts.findLastIndex((start) => start <= address)]!];
          expect(countryOf(formatIpv4(address))).toBe(expected);
          expect(countryOf(`${(address >>> 16).toString(16)}:${(address & 0xffff).toString(16)}:0:1::9`)).toBe(
            expected,
          );
        }
      },
    ),
    { numRuns: 30 },
  );
});

test('addresses are read as they are written, and anything else is refused', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(formatIpv4(parseIpv4(address))).toBe(address);
    }),
  );
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const groups = parseIpv6(address);
      expect(groups).toBeDefined();
      const plain = Array.from(groups!, (group) => group.toString(16)).join(':');
      expect(new URL(`http://[${plain}]`).host).toBe(new URL(`http://[${address}]`).host);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.%'), maxLength: 30 }), (text) => {
      const isUrlHost = !text.includes('%') && URL.canParse(`http://[${text}]`);
      if (!text.includes('%')) expect(parseIpv6(text) !== undefined).toBe(isUrlHost);
    }),
  );
});
