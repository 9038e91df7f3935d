import { describe, expect, test } from '@jest/globals';
import { backOffMs, isNoteworthy, rest, within } from '../src/index.ts';

describe('back-off', () => {
  const longest = (failures: number) => backOffMs({ first: 200, most: 3_000 }, failures, () => 1);

  test('doubles with each failure, up to its limit, for ever', () => {
    expect([1, 2, 3, 4, 5, 6, 10_000].map(longest)).toEqual([200, 400, 800, 1_600, 3_000, 3_000, 3_000]);
  });

  test('spreads those that failed together over half of the pause', () => {
    expect(backOffMs({ first: 200, most: 3_000 }, 2, () => 0)).toBe(200);
    expect(backOffMs({ first: 200, most: 3_000 }, 2, () => 0.5)).toBe(300);
  });

  test('logs the first failure of a row and ever fewer of the others', () => {
    expect(Array.from({ length: 20 }, (_, i) => i + 1).filter(isNoteworthy)).toEqual([1, 2, 4, 8, 16]);
  });
});

describe('time limits', () => {
  test('a rest is over at once when its signal says so, also one that said so before', async () => {
    const stopping = new AbortController();
    const resting = rest(60_000, stopping.signal);
    stopping.abort();
    await resting;
    await rest(60_000, stopping.signal);
  });

  test('settles as the work does, and resolves to the given value when the work is late', async () => {
    expect(await within(Promise.resolve('done'), 60_000, 'late')).toBe('done');
    await expect(within(Promise.reject(new Error('no')), 60_000, 'late')).rejects.toThrow('no');
    expect(await within(new Promise(() => undefined), 1, 'late')).toBe('late');
  });

  test('work that rejects after its time limit causes no unhandled rejection', async () => {
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise((_, reject) => {
      fail = reject;
    });
    expect(await within(work, 1, 'late')).toBe('late');
    fail(new Error('too late to matter'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
