import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { backOffMs, breaker, isNoteworthy, memo, rest, untilAborted, within } from '../src/index.ts';

describe('back-off', () => {
  const longest = (failures: number) => backOffMs({ first: 200, most: 3_000 }, failures, () => 1);

  test('doubles with each failure, up to its limit', () => {
    expect([1, 2, 3, 4, 5, 6, 10_000].map(longest)).toEqual([200, 400, 800, 1_600, 3_000, 3_000, 3_000]);
  });

  test('spreads simultaneous failures over half of the pause', () => {
    expect(backOffMs({ first: 200, most: 3_000 }, 2, () => 0)).toBe(200);
    expect(backOffMs({ first: 200, most: 3_000 }, 2, () => 0.5)).toBe(300);
  });

  test('logs the first consecutive failure, and fewer and fewer of the next ones', () => {
    expect(Array.from({ length: 20 }, (_, i) => i + 1).filter(isNoteworthy)).toEqual([1, 2, 4, 8, 16]);
  });
});

describe('time limits', () => {
  test('`rest` ends when its signal aborts, and at once if the signal has already aborted', async () => {
    const stopping = new AbortController();
    const resting = rest(60_000, stopping.signal);
    stopping.abort();
    await resting;
    await rest(60_000, stopping.signal);
  });

  test('`within` resolves or rejects as its work does, and resolves to the given value after the time limit', async () => {
    expect(await within(Promise.resolve('done'), 60_000, 'late')).toBe('done');
    await expect(within(Promise.reject(new Error('no')), 60_000, 'late')).rejects.toThrow('no');
    expect(await within(new Promise(() => undefined), 1, 'late')).toBe('late');
  });

  test('a rejection after the time limit does not become an unhandled rejection', async () => {
    let fail: (error: Error) => void = () => undefined;
    const work = new Promise((_, reject) => {
      fail = reject;
    });
    expect(await within(work, 1, 'late')).toBe('late');
    fail(new Error('too late to matter'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});

test('`untilAborted` rejects when its signal aborts, and at once if the signal has already aborted', async () => {
  const stopping = new AbortController();
  const never = new Promise<never>(() => undefined);
  expect(await untilAborted(Promise.resolve('done'), stopping.signal)).toBe('done');
  await expect(untilAborted(Promise.reject(new Error('no')), stopping.signal)).rejects.toThrow('no');
  const waiting = untilAborted(never, stopping.signal);
  stopping.abort(new Error('it stops'));
  await expect(waiting).rejects.toThrow('it stops');
  await expect(untilAborted(never, stopping.signal)).rejects.toThrow('it stops');
});

describe('a breaker', () => {
  let now = 0;
  const opened = (failuresInARow: number) => {
    now = 0;
    return breaker({ failuresInARow, pauseMs: 1_000, monotonicMs: () => now });
  };

  test('opens after a number of consecutive failures; after the pause one caller may try', () => {
    const one = opened(2);
    one.failed();
    one.worked();
    one.failed();
    expect(one.leftMs()).toBe(0);
    one.failed();
    expect([one.isOpen, one.leftMs()]).toEqual([true, 1_000]);
    now = 1_000;
    expect(one.leftMs()).toBe(0);
    expect(one.leftMs()).toBe(1_000);
    one.worked();
    expect([one.isOpen, one.leftMs(), one.leftMs()]).toEqual([false, 0, 0]);
  });

  test('stays open if the caller that tries fails or never reports a result', () => {
    const one = opened(1);
    one.failed();
    now = 1_000;
    expect(one.leftMs()).toBe(0);
    now = 1_500;
    one.failed();
    expect(one.leftMs()).toBe(1_000);
    now = 2_500;
    expect(one.leftMs()).toBe(0);
    now = 3_499;
    expect(one.leftMs()).toBe(1);
    now = 3_500;
    expect(one.leftMs()).toBe(0);
  });

  test('stays open for the pause that the dependency requested, even after the first failure', () => {
    const one = opened(5);
    one.failed(30_000);
    expect(one.leftMs()).toBe(30_000);
  });
});

test('a memo computes a value only once until it has too many texts', () => {
  const computed: string[] = [];
  const shout = memo((text) => {
    computed.push(text);
    return text === '' ? undefined : text.toUpperCase();
  }, 2);
  expect(['a', '', 'a', '', 'b', 'a', ''].map(shout)).toEqual(['A', undefined, 'A', undefined, 'B', 'A', undefined]);
  expect(computed).toEqual(['a', '', 'b', 'a', '']);
});

test('a memo of parts of large texts does not keep the large texts in memory', () => {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc') as () => void;
  const lengthOf = memo((text) => text.length, 500);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 500; i++) lengthOf(`${String(i).padStart(20, '0')}${'x'.repeat(100_000)}`.slice(0, 20));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(5 * 1024 ** 2); // the large texts together have 50 MB
});
