import { expect, test } from '@jest/globals';
import { redisAddress } from '../src/address.ts';

test.each([
  ['redis://cache', { host: 'cache', port: 6379, db: 0 }],
  ['redis://:p%40@127.0.0.1:6380/3', { host: '127.0.0.1', port: 6380, password: 'p@', db: 3 }],
  ['rediss://u:p@[2001:db8::1]', { host: '2001:db8::1', port: 6379, username: 'u', password: 'p', db: 0, tls: {} }],
])('%s', (url, expected) => {
  expect(redisAddress(url)).toEqual(expected);
});

test.each(['http://cache', 'redis://', 'redis://cache?family=6', 'redis://cache/zero', 'redis://c#x', 'redis://u:%@c'])(
  '%s is refused',
  (url) => {
    expect(() => redisAddress(url)).toThrow();
  },
);

test('a certificate of a private authority requires TLS', () => {
  expect(redisAddress('rediss://cache', 'CA').tls).toEqual({ ca: 'CA' });
});
