import { expect, test } from '@jest/globals';
import { perAddress } from './per-address.ts';

function limited(limit: number) {
  let at = 0;
  const wait = perAddress({ most: limit, inMs: 1_000 }, () => at);
  const may = (network: string, shared = false) => wait({ network, shared }) === 0;
  const later = (ms: number) => {
    at += ms;
  };
  return { may, wait, later };
}
const network = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;

test('counts each address separately until its window ends, and tells how long that is', () => {
  const { may, wait, later } = limited(2);
  expect([may('192.0.2.1'), may('192.0.2.1'), may('192.0.2.1'), may('192.0.2.2')]).toEqual([true, true, false, true]);
  later(999);
  expect(wait({ network: '192.0.2.1', shared: false })).toBe(1);
  later(1);
  expect([may('192.0.2.1'), may('192.0.2.1'), may('192.0.2.1')]).toEqual([true, true, false]);
});

test('allows fifty times as much where many people have one address', () => {
  const { may } = limited(2);
  const answers = Array.from({ length: 101 }, () => may('10.0.0.1', true));
  expect([answers.filter(Boolean).length, answers.at(-1)]).toEqual([100, false]);
});

test('remembers ten thousand addresses and forgets the oldest', () => {
  const { may } = limited(1);
  for (let i = 0; i < 10_000; i++) expect(may(network(i))).toBe(true);
  expect([may(network(0)), may(network(10_000)), may(network(1)), may(network(0))]).toEqual([false, true, false, true]);
});
