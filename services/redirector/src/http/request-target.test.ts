import { describe, expect, test } from '@jest/globals';
import { costOfDoubling } from '@waypost/test-support';
import { languageOf, prefersJson } from './negotiate.ts';
import { readPath, splitTarget } from './request-target.ts';

describe('a path', () => {
  test.each([
    ['/abcDEF1', 'abcDEF1', false],
    ['/abcDEF1+', 'abcDEF1', true],
    ['/abcDEF1+.)', 'abcDEF1', true],
    ['/abcDEF1.+', 'abcDEF1', true],
    [`/abcDEF1${'.'.repeat(400)}`, 'abcDEF1', false],
    [`/abcDEF1${'%2E'.repeat(150)}`, 'abcDEF1', false],
    [`/abcDEF1${'.'.repeat(600)}`, undefined, false],
    ['/abc.DEF1', undefined, false],
    ['/', undefined, false],
  ])('%s asks for %s, preview: %s', (path, slug, preview) => {
    expect(readPath(path)).toMatchObject({ slug, preview });
  });
});

/** Sizes that fit into the head of a request, 16 KiB, and that do not. */
test.each([
  ['punctuation', (size: number) => `/${'.'.repeat(size)}x+`],
  ['percent escapes', (size: number) => `/${'%2e'.repeat(size / 3)}x+`],
  ['plus signs', (size: number) => `/${'+'.repeat(size)}`],
  ['control characters', (size: number) => `/${'%E2%80%AE'.repeat(size / 9)}`],
])('twice as much of %s never costs more than two and a half times as much', async (_, pathOf) => {
  for (const size of [200, 8_000]) expect(await costOfDoubling(pathOf, readPath, size)).toBeLessThan(2.5);
});

test.each([
  ['a query', (size: number) => `/abc?${'lang=xx&'.repeat(size / 8)}`, splitTarget],
  ['a scheme', (size: number) => `${'a'.repeat(size)}:/`, splitTarget],
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
