import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { within } from '@waypost/test-support';
import { pace } from './pace.ts';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const busy = async () => {
  work(2);
  await nextTurn();
};
/** A loop that never rests. */
const BUSY: typeof performance.eventLoopUtilization = () => ({ idle: 0, active: 1, utilization: 1 });

/** How often work of 20 ms runs within a second, beside `visitors`, while so many bytes wait for it. */
async function rounds(visitors: () => Promise<void>, waitingBytes = 0): Promise<number> {
  let over = false;
  const beside = (async () => {
    while (!over) await visitors();
  })();
  const rest = pace();
  let done = 0;
  for (const end = performance.now() + 1_000; performance.now() < end; done += 1) {
    work(20);
    await rest(waitingBytes);
  }
  over = true;
  await beside;
  return done;
}

test('work takes short rests while nobody needs the event loop, and a small share while visitors do', async () => {
  const alone = await rounds(() => new Promise((resolve) => setTimeout(resolve, 50)));
  const beside = await rounds(busy);
  expect(alone).toBeGreaterThan(3 * beside);
});

test('the share grows with what waits', async () => {
  const rest = pace(BUSY);
  const restMs = async (waitingBytes: number) => {
    work(20);
    const began = performance.now();
    await rest(waitingBytes);
    return performance.now() - began;
  };
  await rest();
  // 113 and 13 ms for 20 ms of work.
  await within(100, () => restMs(64 * 1024 * 1024));
  expect(await restMs(0)).toBeGreaterThan(100);
});
