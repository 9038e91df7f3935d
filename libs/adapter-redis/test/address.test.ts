import { expect, test } from '@jest/globals';
import { redisAddress } from '../src/address.ts';

const one = (host: string, port: number, login: object) => ({ kind: 'one', nodes: [{ host, port }], login });

test.each<[string, object]>([
  ['redis://cache', one('cache', 6379, { db: 0 })],
  ['redis://:p%40@127.0.0.1:6380/3', one('127.0.0.1', 6380, { password: 'p@', db: 3 })],
  ['rediss://u:p@[2001:db8::1]', one('2001:db8::1', 6379, { username: 'u', password: 'p', db: 0, tls: {} })],
  [
    'rediss://u:p@a:7000,[::1]:7001,c',
    {
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 7000 },
        { host: '::1', port: 7001 },
        { host: 'c', port: 6379 },
      ],
      login: { username: 'u', password: 'p', db: 0, tls: {} },
    },
  ],
  ['redis://cache?cluster', { kind: 'cluster', nodes: [{ host: 'cache', port: 6379 }], login: { db: 0 } }],
  [
    'redis://:p@a,b:7001/2?sentinel=my-master',
    {
      kind: 'sentinel',
      master: 'my-master',
      nodes: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 7001 },
      ],
      login: { password: 'p', db: 2 },
    },
  ],
])('%s', (url, expected) => {
  expect(redisAddress(url)).toEqual(expected);
});

test.each([
  'http://cache',
  'redis://',
  'redis://cache?family=6',
  'redis://cache/zero',
  'redis://c#x',
  'redis://u:%@c',
  'redis://a,b/1',
  'redis://a,',
  'redis://a?sentinel=',
  'redis://a?cluster=1',
])('%s is refused', (url) => {
  expect(() => redisAddress(url)).toThrow();
});

test('a certificate of a private authority requires TLS', () => {
  expect(redisAddress('rediss://cache', 'CA').login.tls).toEqual({ ca: 'CA' });
});
