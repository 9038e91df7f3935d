import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import fc from 'fast-check';
import { readCheckedFile, writeCheckedFile } from '../../checked-file.ts';
import { subjectOf } from '../rules/subject.ts';
import { FEATURES_VERSION, featuresOf, KINDS } from './features.ts';
import { LEXICAL_MODEL_FILE, loadLexicalModel, type ModelHeader, rarityTable } from './lexical-model.ts';

const folder = newFolder();

const shipped = readCheckedFile(LEXICAL_MODEL_FILE)!;
const header = shipped.header as ModelHeader;

function hashesOf(url: string): number[] {
  return [...featuresOf(subjectOf(url, new URL(url)))];
}

describe('the shipped weights', () => {
  test('were made with the same hash as today', () => {
    // If these numbers change, raise `FEATURES_VERSION` and train the weights again.
    const hashes = hashesOf('https://www.secure-login.example.top/a/b.php?x=1');
    let sum = 0;
    for (const hash of hashes) sum = (Math.imul(sum, 31) + hash) >>> 0;
    expect({ size: hashes.length, sum }).toEqual({ size: 117, sum: 3_509_772_990 });
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
    await writeCheckedFile(file, { header: { ...header, features: FEATURES_VERSION + 1 }, keys: shipped.keys });
    expect(() => loadLexicalModel(file)).toThrow('no lexical model for version');
    expect(() => loadLexicalModel(join(folder, 'missing.bin'))).toThrow('no lexical model');
  });
});

test('the scheme and www do not change the features', () => {
  expect(hashesOf('http://www.some-desk.example.com/a')).toEqual(hashesOf('https://some-desk.example.com/a'));
});

test('every URL has a bounded number of features, and a rarity', () => {
  const { rarity } = loadLexicalModel();
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true, size: 'large' }), (text) => {
      const url = URL.parse(text);
      if (url === null) return;
      const subject = subjectOf(text, url);
      expect(featuresOf(subject).length).toBeLessThanOrEqual(2_048);
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
