import fs from 'node:fs';
import { expect, test } from '@jest/globals';
import { insideReference, REFERENCE_LICENCES } from '../../../scripts/licences.ts';

test('the licence of every package inside the API reference is distributed', () => {
  const names = new Set(fs.readFileSync(REFERENCE_LICENCES, 'utf8').split('\n'));
  const inside = insideReference();
  expect(inside).toContain('vue');
  // If this fails after an update of Scalar: scripts/node.sh scripts/reference-licences.mjs
  expect(inside.filter((name) => !names.has(name))).toEqual([]);
});
