import { expect, test } from '@jest/globals';
import { within } from '@waypost/test-support';
import { pace } from './pace.ts';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** These replace the measurement: the event loop is either idle or always busy. */
const IDLE: typeof performance.eventLoopUtilization = () => ({ idle: 1, active: 0, utilization: 0 });
const BUSY: typeof performance.eventLoopUtilization = () => ({ idle: 0, active: 1, utilization: 1 });

/** Returns how long the pause after 20 ms of work is, while this number of bytes waits. */
async function restMs(rest: ReturnType<typeof pace>, waitingBytes = 0): Promise<number> {
  await rest();
  work(20);
  const began = performance.now();
  await rest(waitingBytes);
  return performance.now() - began;
}

test('pauses are short while nobody needs the event loop, and long while visitors need it', async () => {
  await within(50, () => restMs(pace(IDLE))); // about 5 ms
  expect(await restMs(pace(BUSY))).toBeGreaterThan(100); // about 113 ms
});

test('pauses are shorter when many bytes wait', async () => {
  await within(100, () => restMs(pace(BUSY), 64 * 1024 * 1024)); // about 13 ms
});
