import { expect, jest, test } from '@jest/globals';
import { background } from '../src/index.ts';

const FOREVER_MS = 60_000;

test('works on at once while there may be more work, and then only after `wake`', async () => {
  const answers = [0, 0, FOREVER_MS, FOREVER_MS];
  const work = jest.fn(async () => answers.shift() ?? FOREVER_MS);
  const one = background({ work, onFailure: fail });
  expect(work).not.toHaveBeenCalled();
  one.start();
  one.start();
  await turns();
  expect(work).toHaveBeenCalledTimes(3);
  one.wake();
  await turns();
  expect(work).toHaveBeenCalledTimes(4);
  await one.stop();
  one.wake();
  await turns();
  expect(work).toHaveBeenCalledTimes(4);
});

test('a call of `wake` during the work is not lost', async () => {
  const { promise: first, resolve } = Promise.withResolvers<number>();
  const work = jest.fn(() => (work.mock.calls.length === 1 ? first : Promise.resolve(FOREVER_MS)));
  const one = background({ work, onFailure: fail });
  one.start();
  one.wake();
  resolve(FOREVER_MS);
  await turns();
  expect(work).toHaveBeenCalledTimes(2);
  await one.stop();
});

test('counts the failures in a row, and pauses after each, even if `wake` was called during the attempt', async () => {
  const outcomes = ['fails', 'fails', 'works', 'fails', 'rests'];
  const failures: number[] = [];
  const one = background({
    backOff: { first: 1, most: 1 },
    async work() {
      const outcome = outcomes.shift();
      if (outcome === 'fails') throw new Error(outcome);
      return outcome === 'works' ? 0 : FOREVER_MS;
    },
    onFailure: (_error, inARow) => failures.push(inARow),
  });
  one.start();
  while (outcomes.length > 0) await turns();
  expect(failures).toEqual([1, 2, 1]);
  await one.stop();

  const work = jest.fn(async () => {
    resting.wake();
    throw new Error('no');
  });
  const resting = background({ backOff: { first: FOREVER_MS, most: FOREVER_MS }, work, onFailure: () => undefined });
  resting.start();
  await turns();
  expect(work).toHaveBeenCalledTimes(1);
  resting.wake();
  await turns();
  expect(work).toHaveBeenCalledTimes(2);
  await resting.stop();
});

test('stop aborts the work, waits for it, and does not report its rejection as a failure', async () => {
  let ended = false;
  const one = background({
    work: (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () =>
          setTimeout(() => {
            ended = true;
            reject(signal.reason);
          }, 1),
        );
      }),
    onFailure: fail,
  });
  one.start();
  await one.stop();
  expect(ended).toBe(true);
});

async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setTimeout(resolve, 1));
}

function fail(error: unknown): never {
  throw error;
}
