import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import fc from 'fast-check';
import { readCheckedFile, writeCheckedFile } from '../../checked-file.ts';
import { subjectOf } from '../rules/subject.ts';
import { LEXICAL_MODEL_FILE, loadLexicalModel, type ModelHeader, rarityTable } from './lexical-model.ts';
import { KINDS, MOST_LEVELS, TRAITS_VERSION, traitsOf } from './traits.ts';

const folder = newFolder();

const shipped = readCheckedFile(LEXICAL_MODEL_FILE)!;
const header = shipped.header as ModelHeader;

function traitsOfUrl(url: string): number[] {
  return [...traitsOf(subjectOf(url, new URL(url)), header.levels)];
}

describe('the shipped trees', () => {
  test('were made with the same traits as today', () => {
    // If these numbers change, raise `TRAITS_VERSION` and train the trees again.
    expect(traitsOfUrl('https://www.secure-login.paypal-desk4.example.top/a/B7-c.php?x=1')).toEqual([
      3, 31, 23, 7, 0, 0, 3, 13, 31, 25, 26, 3, 25, 1, 2, 26, 7, 1, 2, 0, 2, 2, 1, 1, 5, 0, 1, 0, 1,
    ]);
  });

  test('have a table of ascending scores for every kind of host', () => {
    for (const kind of KINDS) {
      const rarities = header.rarity[kind];
      expect(rarities.length).toBeGreaterThan(2);
      expect(rarities.toSorted((a, b) => a - b)).toEqual(rarities);
    }
  });

  test('are refused if they are damaged or of another version', async () => {
    const file = join(folder, 'old.bin');
    await writeCheckedFile(file, { header: { ...header, traits: TRAITS_VERSION + 1 }, keys: shipped.keys });
    expect(() => loadLexicalModel(file)).toThrow('no lexical model for version');
    expect(() => loadLexicalModel(join(folder, 'missing.bin'))).toThrow('no lexical model');
  });
});

test('the scheme and www do not change the traits', () => {
  expect(traitsOfUrl('http://www.some-desk.example.com/a')).toEqual(traitsOfUrl('https://some-desk.example.com/a'));
});

test('every URL has traits within bounds, and a rarity', () => {
  const { rarity } = loadLexicalModel();
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true, size: 'large' }), (text) => {
      const url = URL.parse(text);
      if (url === null) return;
      const subject = subjectOf(text, url);
      expect(Math.max(...traitsOf(subject, header.levels))).toBeLessThan(MOST_LEVELS);
      expect(rarity(subject)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('a rarity table has scores that fewer and fewer harmless addresses reach', () => {
  const table = rarityTable(Array.from({ length: 10_000 }, (_, score) => score));
  expect(table).toHaveLength(7);
  expect(table[1]).toBeCloseTo(8_999, -1);
  expect(rarityTable([1, 2])).toEqual([]);
});
