import { isIP } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cidrContains, isPublicIp, parseCidr, parseIp } from './ip-address.ts';

/** Address-like text: four numbers, or groups with gaps and a dotted end, some of it one step off. */
const number = fc.oneof(
  fc.integer({ min: 0, max: 260 }).map(String),
  fc.constantFrom('0', '00', '01', '010', '255', '256', ''),
);
const dotted = fc.array(number, { minLength: 3, maxLength: 5 }).map((parts) => parts.join('.'));
const group = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16)),
  fc.constantFrom('0', 'FFFF', '0db8', '12345', ''),
);
const groups = fc.array(group, { maxLength: 8 }).map((parts) => parts.join(':'));
const end = fc.oneof(
  groups,
  dotted,
  fc.tuple(groups, dotted).map(([a, b]) => `${a}:${b}`),
);
const colons = fc.tuple(end, fc.constantFrom('::', ':', ':::'), end).map((parts) => parts.join(''));

test('is an address exactly when Node says so', () => {
  const text = fc.oneof(dotted, colons, end, fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string());
  fc.assert(
    fc.property(text, (address) => {
      expect({ address, family: parseIp(address)?.family ?? 0 }).toEqual({ address, family: isIP(address) });
    }),
    { numRuns: 5_000 },
  );
});

test.each('1.2.3.4:: 1.2.3.4::1 1:1.2.3.4:: 010.0.0.1 1.2.3.04 1.2.3 1.2.3.4. :1 1::2::3 fe80::1%lo0'.split(' '))(
  '%s is none',
  (text) => {
    expect(parseIp(text)).toBeUndefined();
  },
);

describe('networks', () => {
  test.each(['010.0.0.0/8', '10.0.0.0/08', '10.0.0.0/33', '10.0.0.0/', '::/129', '10.0.0.0/8/8'])(
    '%s is none',
    (text) => {
      expect(parseCidr(text)).toBeUndefined();
    },
  );

  test('contain the addresses that share their first bits', () => {
    const cidr = parseCidr('10.32.0.0/11')!;
    expect(cidrContains(cidr, parseIp('10.63.255.255')!)).toBe(true);
    expect(cidrContains(cidr, parseIp('10.64.0.0')!)).toBe(false);
    expect(cidrContains(cidr, parseIp('::a20:0')!)).toBe(false);
  });
});

test('an IPv4 address embedded in IPv6 is not public', () => {
  fc.assert(
    fc.property(fc.ipV4(), (four) => {
      expect(isPublicIp(parseIp(`::ffff:${four}`)!)).toBe(false);
      expect(isPublicIp(parseIp(`64:ff9b::${four}`)!)).toBe(false);
    }),
  );
});
