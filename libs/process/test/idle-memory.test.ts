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

/** Leaves 200 MB of garbage. */
function burst(): number {
  return Array.from({ length: 2_000_000 }, (_, i) => ({ i, text: `request ${i}` })).length;
}

test('an idle process releases memory after many requests', async () => {
  await pause(5 * LOOK_EVERY_MS); // first, the garbage from the start of this test is released
  const before = heapMiB();
  burst();
  expect(heapMiB()).toBeGreaterThan(before + 100);
  await until(() => heapMiB() < before + 10);
});

test('a busy process is not interrupted to release memory', async () => {
  await pause(5 * LOOK_EVERY_MS);
  const before = heapMiB();
  const end = performance.now() + 10 * LOOK_EVERY_MS;
  while (performance.now() < end) {
    burst();
    await pause(1);
  }
  expect(heapMiB()).toBeGreaterThan(before + 64);
});
