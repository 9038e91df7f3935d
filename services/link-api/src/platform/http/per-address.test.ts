import { expect, test } from '@jest/globals';
import { perAddress } from './per-address.ts';

function limited(limit: number) {
  let at = 0;
  const may = perAddress({ most: limit, inMs: 1_000 }, () => new Date(at));
  const later = (ms: number) => {
    at += ms;
  };
  return { may, later };
}
const network = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;

test('counts each address separately until its window ends', () => {
  const { may, later } = limited(2);
  expect([may('192.0.2.1'), may('192.0.2.1'), may('192.0.2.1'), may('192.0.2.2')]).toEqual([true, true, false, true]);
  later(999);
  expect(may('192.0.2.1')).toBe(false);
  later(1);
  expect([may('192.0.2.1'), may('192.0.2.1'), may('192.0.2.1')]).toEqual([true, true, false]);
});

test('counts IPv6 addresses with the same first 64 bits together', () => {
  const { may } = limited(1);
  expect([may('2001:db8::1'), may('2001:db8:0:0:ffff::2'), may('2001:db8:0:1::1')]).toEqual([true, false, true]);
});

test('remembers ten thousand addresses and forgets the oldest', () => {
  const { may } = limited(1);
  for (let i = 0; i < 10_000; i++) expect(may(network(i))).toBe(true);
  expect([may(network(0)), may(network(10_000)), may(network(1)), may(network(0))]).toEqual([false, true, false, true]);
});
