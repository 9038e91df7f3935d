import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { pace } from './pace.ts';

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** How often work of 20 ms runs within a second, beside `visitors`. */
async function rounds(visitors: () => Promise<void>): Promise<number> {
  let over = false;
  const beside = (async () => {
    while (!over) await visitors();
  })();
  const rest = pace();
  let done = 0;
  for (const end = performance.now() + 1_000; performance.now() < end; done += 1) {
    work(20);
    await rest();
  }
  over = true;
  await beside;
  return done;
}

test('work takes short rests while nobody needs the event loop, and a small share while visitors do', async () => {
  const alone = await rounds(() => new Promise((resolve) => setTimeout(resolve, 50)));
  const beside = await rounds(async () => {
    work(2);
    await nextTurn();
  });
  expect(alone).toBeGreaterThan(3 * beside);
});
