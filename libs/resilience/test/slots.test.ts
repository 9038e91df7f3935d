import { describe, expect, test } from '@jest/globals';
import { fairSlots, slots } from '../src/index.ts';

const STAYS = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  test('of one key are limited: further callers wait in order, but callers with another key do not wait', async () => {
    const line = slots({ running: 2, waiting: 10 });
    const begun: number[] = [];
    const taken = [0, 1, 2, 3].map((i) =>
      line.take('a', STAYS).then((release) => {
        begun.push(i);
        return release;
      }),
    );
    await settle();
    expect(begun).toEqual([0, 1]);
    (await line.take('b', STAYS))();
    const first = await taken[0]!;
    first();
    first(); // a second call must not end another turn
    await settle();
    expect(begun).toEqual([0, 1, 2]);
    (await taken[1]!)();
    (await taken[2]!)();
    (await taken[3]!)();
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test('have a queue of limited length, which a caller leaves when its signal aborts', async () => {
    const line = slots({ running: 1, waiting: 2 });
    const release = await line.take('a', STAYS);
    const leaving = new AbortController();
    const gone = line.take('a', leaving.signal);
    const next = line.take('a', STAYS);
    await expect(line.take('a', STAYS)).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 5 });
    leaving.abort();
    await expect(gone).rejects.toMatchObject({ code: 'unavailable' });
    await expect(line.take('a', leaving.signal)).rejects.toMatchObject({ code: 'unavailable' });
    const later = line.take('a', STAYS);
    release();
    (await next)();
    (await later)();
    (await line.take('a', STAYS))();
  });

  test.each([
    ['in order', slots],
    ['fair', fairSlots],
  ])('%s go to the next caller if a caller leaves in the turn in which it gets one', async (_, kind) => {
    const line = kind({ running: 1, waiting: 2 });
    const release = await line.take('a', STAYS);
    const leaving = new AbortController();
    const gone = line.take('a', leaving.signal);
    const next = line.take('a', STAYS);
    release();
    leaving.abort();
    await expect(gone).rejects.toMatchObject({ code: 'unavailable' });
    (await next)();
    (await line.take('a', STAYS))();
  });
});
