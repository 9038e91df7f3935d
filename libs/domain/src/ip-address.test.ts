import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addressIn, isIn, isPublicIp, parseNetworks } from './ip-address.ts';

test.each('1.2.3.4:: 1.2.3.4::1 1:1.2.3.4:: 010.0.0.1 1.2.3.04 1.2.3 1.2.3.4. :1 1::2::3 fe80::1%lo0'.split(' '))(
  '%s is not an IP address',
  (text) => {
    expect(addressIn(text)).toBeUndefined();
    expect(addressIn(`[${text}]`)).toBeUndefined();
  },
);

describe('networks', () => {
  test.each(['010.0.0.0/8', '10.0.0.0/08', '10.0.0.0/33', '10.0.0.0/', '::/129', '10.0.0.0/8/8'])(
    '%s is not a network',
    (text) => {
      expect(parseNetworks([text, '::/0']).others).toEqual([text]);
    },
  );

  test('contain the addresses with the same first bits', () => {
    const { networks } = parseNetworks(['10.32.0.0/11']);
    expect(isIn(networks, '10.63.255.255')).toBe(true);
    expect(isIn(networks, '10.64.0.0')).toBe(false);
    expect(isIn(networks, '::a20:0')).toBe(false);
  });
});

test('an IPv4 address embedded in IPv6 is not public', () => {
  fc.assert(
    fc.property(fc.ipV4(), (four) => {
      expect(isPublicIp(`::ffff:${four}`)).toBe(false);
      expect(isPublicIp(`64:ff9b::${four}`)).toBe(false);
    }),
  );
});

test.each(
  '168.63.129.16 169.254.169.254 169.254.170.2 100.100.100.200 192.0.0.192 161.26.0.10 166.9.48.1 fd00:ec2::254 fd20:ce::254'.split(
    ' ',
  ),
)('%s, an address of a cloud platform, is not public', (ip) => {
  expect(isPublicIp(ip)).toBe(false);
});

test.each('168.63.129.15 168.63.129.17 166.12.0.1 161.27.0.1 8.8.8.8 2606:4700::1111'.split(' '))(
  '%s is public',
  (ip) => {
    expect(isPublicIp(ip)).toBe(true);
  },
);
