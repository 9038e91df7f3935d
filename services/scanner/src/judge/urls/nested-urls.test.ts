import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nestedUrls as nestedUrlsOf } from './nested-urls.ts';

const search = (href: string) => nestedUrlsOf(new URL(href));
const nestedUrls = (href: string) => search(href).urls;

const EVIL = 'http://evil.example.net/kit?a=1';

describe('a URL inside another is found', () => {
  // services/scanner/test/wrapped-urls.test.ts tests every way to wrap a URL that has its scheme.
  test.each([
    ['in padded base64', `https://r.com/go?u=${encodeURIComponent(Buffer.from(EVIL).toString('base64'))}`],
    ['without its scheme, escaped', 'https://r.com/login?next=%2F%2Fevil.example.net%2Fkit%3Fa%3D1'],
    ['without anything before its host', 'https://r.com/?to=evil.example.net/kit?a=1'],
    ['without anything before its host, escaped', 'https://r.com/?to=evil.example.net%2Fkit%3Fa%3D1&x=2'],
  ])('%s', (_, url) => {
    expect(nestedUrls(new URL(url).href)).toContain(EVIL);
  });

  test('with and without the parameters that follow it', () => {
    expect(nestedUrls('https://r.com/out/http://evil.example.net/x?a=1&b=2')).toEqual([
      'http://evil.example.net/x?a=1',
      'http://evil.example.net/x?a=1&b=2',
    ]);
  });

  test('with a host in a script other than Latin', () => {
    expect(nestedUrls('https://r.com/?u=https%3A%2F%2Fb%C3%BCcher.de%2Fx')).toEqual(['https://xn--bcher-kva.de/x']);
  });
});

test('plain words are not URLs', () => {
  expect(nestedUrls('https://r.com/?q=evil.example.net&d=https&x=http:foo&v=1.2.3/4&f=name.txt')).toEqual([]);
});

test('finds a URL behind any number of others, or reports that it has not seen all', () => {
  for (const count of [1, 4, 8, 100]) {
    const decoys = Array.from({ length: count }, (_, i) => `u=http://h${i}.example.net/`).join('&');
    const { urls, isComplete } = search(`https://r.com/?${decoys}&u=${EVIL}`);
    expect(!isComplete || urls.includes(EVIL)).toBe(true);
    if (count <= 8) expect(isComplete).toBe(true);
  }
  const none = 'x=http://[&'.repeat(150);
  expect(search(`https://r.com/?${none}q=${encodeURIComponent(EVIL)}`)).toMatchObject({
    urls: [EVIL],
    isComplete: true,
  });
});

test('finds a URL that is at many places, and reports if there are too many places', () => {
  const same = (count: number) => search(`https://r.com/?${`u=${EVIL}&`.repeat(count)}`);
  expect(same(20)).toMatchObject({ urls: expect.arrayContaining([EVIL]), isComplete: true });
  expect(same(30).isComplete).toBe(false);
});

test('finds URLs that are nested several times', () => {
  const deep = ['a', 'b', 'c', 'd', 'e'].reduceRight(
    (inner, name) => `https://${name}.example.net/?u=${encodeURIComponent(inner)}`,
    'https://z.example.net/',
  );
  const hosts = nestedUrls(deep).map((url) => new URL(url).hostname[0]);
  expect(hosts).toEqual(expect.arrayContaining(['b', 'c', 'd']));
});

test('the search for nested URLs never throws', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void nestedUrls(`https://example.com/${text}`)));
});
