import { BlockList } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { clientAddress, networkOf, untrustedProxies } from '../src/client-address.ts';

const HOUR_MS = 60 * 60_000;

function parts(trusted: readonly string[] = []) {
  let at = 0;
  const logged: string[] = [];
  const logger = { warn: (message: string) => void logged.push(message) };
  const proxies = untrustedProxies(logger as never, () => at);
  const list = new BlockList();
  for (const address of trusted) list.addAddress(address);
  const addressOf = clientAddress(list, proxies);
  const ask = (remoteAddress: string, headers: Record<string, string> = {}) =>
    addressOf({ socket: { remoteAddress }, headers } as never);
  const later = (ms: number) => {
    at += ms;
  };
  return { ask, proxies, logged, later };
}
const FORWARDED = { 'x-forwarded-for': '8.8.8.8' };

describe('a proxy that is not trusted', () => {
  test.each([FORWARDED, { forwarded: 'for=8.8.8.8' }])(
    'is reported with its address, in the log once',
    async (headers) => {
      const { ask, proxies, logged } = parts(['127.0.0.1']);
      for (let i = 0; i < 3; i++) expect(ask('::ffff:172.18.0.1', headers)).toBe('172.18.0.1');
      expect(logged).toEqual([expect.stringMatching(/172\.18\.0\.1 is not in TRUSTED_PROXIES/)]);
      expect(proxies.has('172.18.0.1')).toBe(true);
      expect(await proxies.health.check(AbortSignal.timeout(1_000))).toEqual({ ok: false, detail: logged[0] });
    },
  );

  test('is forgotten an hour after its last request', async () => {
    const { ask, proxies, later } = parts();
    ask('10.0.0.1', FORWARDED);
    later(HOUR_MS - 1);
    ask('10.0.0.1', FORWARDED);
    later(HOUR_MS - 1);
    expect(proxies.has('10.0.0.1')).toBe(true);
    later(1);
    expect(proxies.has('10.0.0.1')).toBe(false);
    expect(await proxies.health.check(AbortSignal.timeout(1_000))).toEqual({ ok: true });
  });

  test('is not a trusted one, a client that forwards nothing, or a stranger on the Internet who claims to forward', () => {
    const { ask, proxies, logged } = parts(['127.0.0.1']);
    expect(ask('127.0.0.1', FORWARDED)).toBe('8.8.8.8');
    ask('10.0.0.1');
    for (const stranger of ['9.9.9.9', '2a00:1450:4001::1', '']) ask(stranger, FORWARDED);
    expect(logged).toEqual([]);
    for (const peer of ['127.0.0.1', '10.0.0.1', '9.9.9.9']) expect(proxies.has(peer)).toBe(false);
  });

  test('has no more than a hundred lines in the log, whoever sends the header', () => {
    const { ask, logged } = parts();
    for (let i = 0; i < 250; i++) ask(`10.0.0.${i}`, FORWARDED);
    expect(logged).toHaveLength(100);
  });
});

test.each([
  ['192.0.2.1', 64, '192.0.2.1'],
  ['2001:db8::1', 64, '2001:db8:0:0'],
  ['2001:db8:0:0:ffff::2', 64, '2001:db8:0:0'],
  ['2001:db8:0:1::1', 64, '2001:db8:0:1'],
  ['2001:db8:1:2:3:4:5:6', 48, '2001:db8:1'],
  ['::1', 64, '0:0:0:0'],
  ['fe80::', 48, 'fe80:0:0'],
])('the network of %s with %i bits is %s', (address, bits, network) => {
  expect(networkOf(address, bits)).toBe(network);
});
