import { expect, test } from '@jest/globals';
import { within } from '@waypost/test-support';
import { pace } from './pace.ts';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** What the event loop does beside the work: nothing, or no rest. */
const IDLE: typeof performance.eventLoopUtilization = () => ({ idle: 1, active: 0, utilization: 0 });
const BUSY: typeof performance.eventLoopUtilization = () => ({ idle: 0, active: 1, utilization: 1 });

/** How long 20 ms of work rest while so many bytes wait for it. */
async function restMs(rest: ReturnType<typeof pace>, waitingBytes = 0): Promise<number> {
  await rest();
  work(20);
  const began = performance.now();
  await rest(waitingBytes);
  return performance.now() - began;
}

test('work takes short rests while nobody needs the event loop, and a small share while visitors do', async () => {
  await within(50, () => restMs(pace(IDLE))); // 5 ms
  expect(await restMs(pace(BUSY))).toBeGreaterThan(100); // 113 ms
});

test('the share grows with what waits', async () => {
  await within(100, () => restMs(pace(BUSY), 64 * 1024 * 1024)); // 13 ms
});
