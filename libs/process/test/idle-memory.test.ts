import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
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

/** Leaves 300 MB of garbage. Pages that other tests left free take some of it. */
function burst(): number {
  return Array.from({ length: 3_000_000 }, (_, i) => ({ i, text: `request ${i}` })).length;
}

/** Resolves to the MiB of the heap after a collection. Garbage of other tests would make room for the next burst. */
async function collectedHeap(): Promise<number> {
  burst();
  const full = heapMiB();
  await until(() => heapMiB() < full - 100);
  return heapMiB();
}

test('an idle process releases memory after many requests', async () => {
  const before = await collectedHeap();
  burst();
  expect(heapMiB()).toBeGreaterThan(before + 100);
  await until(() => heapMiB() < before + 10);
});

test('a busy process is not interrupted to release memory', async () => {
  const before = await collectedHeap();
  const end = performance.now() + 10 * LOOK_EVERY_MS;
  while (performance.now() < end) {
    burst();
    await pause(1);
  }
  expect(heapMiB()).toBeGreaterThan(before + 64);
});

test('a process without the flag --expose-gc keeps running', async () => {
  const program = `
    import { collectWhenIdle } from ${JSON.stringify(import.meta.resolve('../src/idle-memory.ts'))};
    collectWhenIdle({ lookEveryMs: ${LOOK_EVERY_MS}, atMostEveryMs: 0 });
    globalThis.kept = Array.from({ length: 2_000_000 }, (_, i) => ({ i }));
    setTimeout(() => process.stdout.write(typeof gc), ${10 * LOOK_EVERY_MS});
  `;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect((await run).stdout).toBe('undefined');
});
