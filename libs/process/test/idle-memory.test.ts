import { getHeapStatistics } from 'node:v8';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pause, until } from '@waypost/test-support';
import { collectWhenIdle } from '../src/index.ts';

const LOOK_EVERY_MS = 50;
const heapMiB = () => getHeapStatistics().total_heap_size / 2 ** 20;
let stop: () => void;

beforeEach(() => {
  stop = collectWhenIdle({ lookEveryMs: LOOK_EVERY_MS, atMostEveryMs: 0 });
});
afterEach(() => stop());

/** 200 MB that nobody needs afterwards. */
function burst(): number {
  return Array.from({ length: 2_000_000 }, (_, i) => ({ i, text: `request ${i}` })).length;
}

test('an idle process gives the memory of a burst back', async () => {
  await pause(5 * LOOK_EVERY_MS); // what the start of this test left is given back, too
  const before = heapMiB();
  burst();
  expect(heapMiB()).toBeGreaterThan(before + 100);
  await until(() => heapMiB() < before + 10);
});

test('a busy one is not stopped for it', async () => {
  await pause(5 * LOOK_EVERY_MS);
  const before = heapMiB();
  const end = performance.now() + 10 * LOOK_EVERY_MS;
  while (performance.now() < end) {
    burst();
    await pause(1);
  }
  expect(heapMiB()).toBeGreaterThan(before + 64);
});
