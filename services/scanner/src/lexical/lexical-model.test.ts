import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import fc from 'fast-check';
import { subjectOf } from '../rules/subject.ts';
import { readCheckedFile, writeCheckedFile } from '../threat-index/checked-file.ts';
import { FEATURES_VERSION, featuresOf, KINDS } from './features.ts';
import { LEXICAL_MODEL_FILE, loadLexicalModel, type ModelHeader, rarityTable } from './lexical-model.ts';

const folder = newFolder();

const shipped = readCheckedFile(LEXICAL_MODEL_FILE)!;
const header = shipped.header as ModelHeader;

function hashesOf(url: string): number[] {
  const { hashes, size } = featuresOf(subjectOf(url, new URL(url)));
  return [...hashes.subarray(0, size)];
}

describe('the shipped weights', () => {
  test('were made by a hash that gives the same numbers today', () => {
    // A change here needs a new version of the features, and new weights.
    const hashes = hashesOf('https://www.secure-login.example.top/a/b.php?x=1');
    let sum = 0;
    for (const hash of hashes) sum = (Math.imul(sum, 31) + hash) >>> 0;
    expect({ size: hashes.length, sum }).toEqual({ size: 97, sum: 1_668_004_963 });
  });

  test('know how rare a score is for every kind of host, in ascending order', () => {
    for (const kind of KINDS) {
      const known = header.rarity[kind];
      expect(known.length).toBeGreaterThan(2);
      expect(known.toSorted((a, b) => a - b)).toEqual(known);
    }
  });

  test('are refused if they are damaged or of another version', async () => {
    const file = join(folder, 'old.bin');
    await writeCheckedFile(file, { header: { ...header, features: FEATURES_VERSION + 1 }, keys: shipped.keys });
    expect(() => loadLexicalModel(file)).toThrow('no lexical model for version');
    expect(() => loadLexicalModel(join(folder, 'missing.bin'))).toThrow('no lexical model');
  });
});

test('scheme and www do not matter', () => {
  expect(hashesOf('http://www.some-desk.example.com/a')).toEqual(hashesOf('https://some-desk.example.com/a'));
});

test('any URL has a bounded number of features, and a rarity', () => {
  const { rarity } = loadLexicalModel();
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true, size: 'large' }), (text) => {
      const url = URL.parse(text);
      if (url === null) return;
      const subject = subjectOf(text, url);
      expect(featuresOf(subject).size).toBeLessThanOrEqual(2_048);
      expect(rarity(subject)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test('a table of scores tells how many harmless addresses reach one', () => {
  const table = rarityTable(Array.from({ length: 10_000 }, (_, score) => score));
  expect(table).toHaveLength(7);
  expect(table[1]).toBeCloseTo(8_999, -1);
  expect(rarityTable([1, 2])).toEqual([]);
});
