import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addedKeys, type PackedKeys, packKeys } from '../packed-keys.ts';
import { type ThreatSource, threatIndex } from './threat-index.ts';

/** There are few values, so that feeds overlap. They include both ends of the range. */
const half = fc.constantFrom(0, 1, 2, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff);
const key = fc.tuple(half, half);
const keys = fc.array(key, { maxLength: 40 });
const source = (feed: string): ThreatSource => ({ feed, threatType: 'phishing' });

function pack(pairs: readonly (readonly [high: number, low: number])[]): PackedKeys {
  return packKeys(pairs.map(big));
}

function big([high, low]: readonly [number, number]): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

describe('packed keys', () => {
  test('are unique and in ascending order', () => {
    fc.assert(
      fc.property(keys, (pairs) => {
        const expected = [...new Set(pairs.map(big))].sort((a, b) => (a < b ? -1 : 1));
        expect([...pack(pairs)]).toEqual(expected);
      }),
    );
  });

  test('added keys are those that only the new list has', () => {
    fc.assert(
      fc.property(keys, keys, (before, after) => {
        const old = new Set(before.map(big));
        const expected = [...new Set(after.map(big))].filter((value) => !old.has(value));
        expect(new Set(addedKeys(pack(before), pack(after)))).toEqual(new Set(expected));
      }),
    );
  });
});

describe('the index', () => {
  test('finds every key with exactly the feeds that list it, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 5 }), key, (feeds, other) => {
        const index = threatIndex(feeds.map((pairs, at) => ({ source: source(`f${at}`), keys: pack(pairs) })));
        for (const [high, low] of [...feeds.flat(), other]) {
          const expected = feeds.flatMap((pairs, at) =>
            pairs.some(([h, l]) => h === high && l === low) ? [`f${at}`] : [],
          );
          expect((index.find(high, low) ?? []).map(({ feed }) => feed)).toEqual(expected);
        }
        expect(index.size).toBe(feeds.reduce((sum, pairs) => sum + new Set(pairs.map(big)).size, 0));
      }),
    );
  });
});
