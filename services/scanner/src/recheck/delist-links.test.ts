import { expect, test } from '@jest/globals';
import { POLICY } from '../../test/scanner-kit.ts';
import { rulesWithout } from '../judge/rule-set.ts';
import type { PackedKeys } from '../packed-keys.ts';
import type { Removal } from '../threats/scanner-state.ts';
import { threatIndex } from '../threats/threat-index.ts';
import { delistLinks } from './delist-links.ts';

const FILES = 40;
const at = (day: number) => new Date(Date.UTC(2026, 10, 1) + day * 86_400_000).toISOString();
const keys = (...numbers: number[]): PackedKeys => new BigUint64Array(numbers.map(BigInt));

test('asks about the keys that none removed later, and lets other work run between the files of later removals', async () => {
  const removals: Removal[] = Array.from({ length: FILES }, (_, i) => ({ feed: 'mine', file: String(i), at: at(i) }));
  const other = { feed: 'other', file: 'other', at: at(1) };
  const stored = (file: string): PackedKeys => {
    if (file === 'other') return keys(3);
    // A large file takes as long to read as this loop.
    for (const end = performance.now() + 4; performance.now() < end; );
    return file === '0' ? keys(1, 2, 3, 4, 5) : keys(2, 100 + Number(file));
  };
  const index = threatIndex([
    { source: { feed: 'mine', threatType: 'phishing' }, keys: keys(4) },
    { source: { feed: 'other', threatType: 'phishing' }, keys: keys(5) },
  ]);
  let turns = 0;
  let over = false;
  const otherWork = () => {
    turns++;
    if (!over) setImmediate(otherWork);
  };
  setImmediate(otherWork);
  let lookups: readonly string[] = [];
  await delistLinks(
    {
      store: {
        database: () => ({ generation: '1', index, rules: rulesWithout([]) }),
        keysIn: (file) => (file === null ? undefined : stored(file)),
        shipped: () => [],
        feedsOff: new Set(),
        state: () => ({
          sequence: 1,
          generation: '1',
          rulesVersion: '',
          feeds: [],
          polls: {},
          owed: [],
          removals: [...removals, other],
          released: {},
        }),
      },
      policy: POLICY,
      links: {
        matching: async (lookup) => {
          lookups = lookup;
          return [];
        },
      },
      bus: { publishEncoded: async () => {} },
      now: () => new Date(at(10)),
    },
    removals[0]!,
    new AbortController().signal,
  );
  over = true;
  expect(lookups).toEqual(['1', '5']);
  expect(turns).toBeGreaterThanOrEqual(FILES - 1);
});
