import { expect, test } from '@jest/globals';
import { costOfDoubling } from '@waypost/test-support';
import { languageOf, prefersJson } from '../pages/negotiate.ts';
import { route } from './route.ts';

test.each<[target: string, expected: Partial<Record<string, unknown>>]>([
  ['/', { kind: 'home', query: '' }],
  ['', { kind: 'home' }],
  ['/?lang=de', { kind: 'home', query: 'lang=de' }],
  ['/healthz', { kind: 'health' }],
  ['/readyz', { kind: 'readiness' }],
  ['/robots.txt', { kind: 'file', path: '/robots.txt' }],
  ['/favicon.ico?v=1', { kind: 'file', path: '/favicon.ico' }],
  ['/.well-known/security.txt', { kind: 'file', path: '/.well-known/security.txt' }],
  ['/abcDEF1', { kind: 'link', slug: 'abcDEF1', preview: false, text: 'abcDEF1', query: '' }],
  ['/abcDEF1?a=b#c', { kind: 'link', slug: 'abcDEF1', query: 'a=b#c' }],
  ['/abcDEF1#c?d', { kind: 'link', slug: 'abcDEF1', query: '' }],
  ['http://host:1/abcDEF1?a', { kind: 'link', slug: 'abcDEF1', query: 'a' }],
  ['/abcDEF1+', { kind: 'link', slug: 'abcDEF1', preview: true }],
  ['/abcDEF1+.)', { kind: 'link', slug: 'abcDEF1', preview: true }],
  ['/abcDEF1.+', { kind: 'link', slug: 'abcDEF1', preview: true }],
  [`/abcDEF1${'.'.repeat(32)}`, { kind: 'link', slug: 'abcDEF1', preview: false }],
  [`/abcDEF1${'%E2%80%A6'.repeat(32)}`, { kind: 'link', slug: 'abcDEF1', preview: false }],
  [`/abcDEF1${'.'.repeat(33)}`, { kind: 'nothing' }],
  ['/abcDEF1/', { kind: 'link', slug: 'abcDEF1' }],
  ['///abcDEF1', { kind: 'link', slug: 'abcDEF1' }],
  ['/%20abcDEF1%20', { kind: 'link', slug: 'abcDEF1' }],
  ['/%C2%A0/abcDEF1%EF%BB%BF', { kind: 'link', slug: 'abcDEF1' }],
  ['/abcDEF1%E2%80%9D)%E3%80%82+%EF%BC%89', { kind: 'link', slug: 'abcDEF1', preview: true }],
  ['/abcDEF1*%E2%9D%A4%EF%B8%8F%F0%9F%91%8D%00', { kind: 'link', slug: 'abcDEF1' }],
  ['/abcDEF1\u00e2\u0080\u00a6', { kind: 'link', slug: 'abcDEF1', text: 'abcDEF1…' }],
  ['/abcDEF1%', { kind: 'link', slug: 'abcDEF1' }],
  ['/abcDEF1-', { kind: 'link', slug: 'abcDEF1-' }],
  ['/abcDEF1.-', { kind: 'nothing' }],
  ['/abcDEF1%C3%A9', { kind: 'nothing' }],
  ['/abcDEF1e%CC%81', { kind: 'nothing' }],
  ['/abcDEF1%D9%A1', { kind: 'nothing' }],
  ['/abcDEF1.%E3%81%82', { kind: 'nothing' }],
  ['/.abcDEF1', { kind: 'nothing' }],
  ['/abc.DEF1', { kind: 'nothing', text: 'abc.DEF1' }],
  ['/healthz/x', { kind: 'nothing' }],
  ['/%2561bcDEF1', { kind: 'nothing', text: '%61bcDEF1' }],
  ['/%', { kind: 'nothing', text: '%' }],
  ['*', { kind: 'nothing' }],
])('%s', (target, expected) => {
  expect(route(target)).toMatchObject(expected);
});

test.each([
  ['punctuation', (size: number) => `/${'.'.repeat(size)}x+`],
  ['slashes and spaces', (size: number) => `/${'/%20'.repeat(size / 4)}.`],
  ['slug characters', (size: number) => `/${'a'.repeat(size)}.a`],
  ['percent escapes', (size: number) => `/${'%2e'.repeat(size / 3)}x+`],
  ['plus signs', (size: number) => `/${'+'.repeat(size)}`],
  ['control characters', (size: number) => `/${'%E2%80%AE'.repeat(size / 9)}`],
])('twice as much of %s never costs more than two and a half times as much', async (_, pathOf) => {
  for (const size of [200, 8_000]) expect(await costOfDoubling(pathOf, route, size)).toBeLessThan(2.5);
});

test.each([
  ['a query', (size: number) => `/abc?${'lang=xx&'.repeat(size / 8)}`, route],
  ['a scheme', (size: number) => `${'a'.repeat(size)}:/`, route],
  [
    'languages in the query',
    (size: number) => 'lang=xx&'.repeat(size / 8),
    (text: string) => languageOf(text, undefined),
  ],
  ['Accept-Language', (size: number) => 'de;q=0.1,'.repeat(size / 9), (text: string) => languageOf('', text)],
  ['Accept', (size: number) => 'text/html;;;;q=0,'.repeat(size / 17), prefersJson],
  ['commas in Accept', (size: number) => ','.repeat(size), prefersJson],
])('twice as much of %s never costs more than two and a half times as much', async (_, textOf, read) => {
  for (const size of [450, 8_000]) {
    expect(await costOfDoubling(textOf, read as (text: string) => unknown, size)).toBeLessThan(2.5);
  }
});
