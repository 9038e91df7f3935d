import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { customSlugProblem, generateSlug, isSlug, SLUG_ALPHABET } from './slug.ts';

function bytes(...values: number[]) {
  let next = 0;
  return (size: number) => Uint8Array.from({ length: size }, () => values[next++ % values.length]!);
}

describe('a generated slug', () => {
  test('has 7 characters, without 0, O, I and l, and is valid for any random bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 231 }), { minLength: 1 }), (values) => {
        const slug = generateSlug(bytes(...values));
        expect(slug).toHaveLength(7);
        expect(slug).not.toMatch(/[0OIl]/);
        expect(isSlug(slug)).toBe(true);
      }),
    );
  });

  test('has each character equally often, because the bytes that would cause a bias are discarded', () => {
    const counts = new Map<string, number>();
    for (let byte = 0; byte < 232; byte++) {
      const character = generateSlug(bytes(byte))[0]!;
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect([...counts.values()]).toEqual(Array(58).fill(4));
    for (let byte = 232; byte < 256; byte++) expect(generateSlug(bytes(byte, 7))).toBe(SLUG_ALPHABET[7]!.repeat(7));
  });

  test('takes more random bytes if too many were discarded', () => {
    const sizes: number[] = [];
    const slug = generateSlug((size) => {
      sizes.push(size);
      return new Uint8Array(size).fill(sizes.length < 4 ? 255 : 1);
    });
    expect(slug).toBe('2222222');
    expect(sizes).toHaveLength(4);
  });
});

describe('a custom slug', () => {
  test.each(['abc', 'a-b', 'a_b', '1--', 'A1_-', 'x'.repeat(50), 'a'.repeat(49).concat('-')])('can be %s', (slug) => {
    expect(customSlugProblem(slug)).toBeUndefined();
  });

  test.each(['', 'a', 'ab', 'x'.repeat(51)])('has 3 to 50 characters, so "%s" is refused', (slug) => {
    expect(customSlugProblem(slug)).toBe('must have 3 to 50 characters');
  });

  test.each([
    '-ab',
    '_ab',
    'a b',
    'a.b',
    'a/b',
    'a+b',
    'ab%',
    'äbc',
    'a\u0000b',
    'abc\n',
    '\nabc',
    'ａｂｃ',
    'a‐b',
    '👍👍',
  ])('is letters, digits, "_" and "-" after a letter or digit, so not %j', (slug) => {
    expect(customSlugProblem(slug)).toMatch(/^must contain only letters/);
    expect(isSlug(slug)).toBe(false);
  });

  test('is valid exactly if it follows these rules', () => {
    const near = fc.string({ unit: fc.constantFrom(...'aZ09-_ .é/'), maxLength: 53 });
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        const allowed = /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(text) && !text.includes('\n');
        expect(isSlug(text)).toBe(allowed && text.length >= 3 && text.length <= 50);
        if (!isSlug(text)) expect(customSlugProblem(text)).toBeDefined();
      }),
    );
  });

  test.each(
    'api app admin login logout health healthz readyz metrics bulk report robots favicon sitemap assets static well-known'.split(
      ' ',
    ),
  )('is not the reserved word %s, in any case', (word) => {
    for (const slug of [word, word.toUpperCase(), word[0]!.toUpperCase() + word.slice(1)]) {
      expect(customSlugProblem(slug)).toBe('is reserved');
    }
    expect(customSlugProblem(`${word}-2`)).toBeUndefined();
  });
});
