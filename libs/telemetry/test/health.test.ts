import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { cachedReadiness, readiness } from '../src/health.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const fine = { required: true, check: () => ({ ok: true, rows: 3 }) };

describe('readiness', () => {
  test('is ready if every dependency is, and reports the facts of each', async () => {
    expect(await readiness({ database: fine, disk: { required: false, check: async () => ({ ok: true }) } })).toEqual({
      status: 'ready',
      dependencies: { database: { ok: true, rows: 3 }, disk: { ok: true } },
    });
    expect(await readiness({})).toEqual({ status: 'ready', dependencies: {} });
  });

  test('is lost if a required dependency fails, but not if an optional one does', async () => {
    const broken = () => ({ ok: false, detail: 'away' });
    expect(await readiness({ a: fine, b: { required: false, check: broken } })).toEqual({
      status: 'ready',
      dependencies: { a: { ok: true, rows: 3 }, b: { ok: false, detail: 'away' } },
    });
    expect(await readiness({ a: fine, b: { required: true, check: broken } })).toMatchObject({ status: 'not_ready' });
  });

  test('counts a check that throws or rejects as failed, with its message', async () => {
    const throws = () => {
      throw new Error('no socket');
    };
    const rejects = () => Promise.reject('no reason');
    expect(
      await readiness({ a: { required: true, check: throws }, b: { required: true, check: rejects }, c: fine }),
    ).toEqual({
      status: 'not_ready',
      dependencies: {
        a: { ok: false, detail: 'no socket' },
        b: { ok: false, detail: 'no reason' },
        c: { ok: true, rows: 3 },
      },
    });
  });

  test('answers in time although several checks hang, names these checks and aborts them', async () => {
    const signals: AbortSignal[] = [];
    const check = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const hangs = { required: true, check };
    const checked = readiness({ a: hangs, b: fine, c: { ...hangs, required: false } });
    await jest.advanceTimersByTimeAsync(1_500);
    const { status, dependencies } = await checked;
    expect(status).toBe('not_ready');
    expect(dependencies).toEqual({
      a: { ok: false, detail: expect.stringContaining('no response within') },
      b: { ok: true, rows: 3 },
      c: { ok: false, detail: expect.stringContaining('no response within') },
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

describe('cached readiness', () => {
  const counted = () => {
    const check = jest.fn(async () => ({ ok: false, detail: 'connect ECONNREFUSED 10.0.0.7:5432', rows: 3 }));
    return { check, ready: cachedReadiness({ database: { required: true, check }, disk: fine }) };
  };

  test('checks at most once a second for any number of callers', async () => {
    const { check, ready } = counted();
    for (const checks of [1, 2, 3]) {
      for (const ms of [0, 999]) {
        await jest.advanceTimersByTimeAsync(ms);
        await Promise.all(Array.from({ length: 200 }, (_, i) => (i % 2 ? ready.public() : ready.full())));
        expect(check).toHaveBeenCalledTimes(checks);
      }
      await jest.advanceTimersByTimeAsync(1);
    }
  });

  test('never checks twice at the same time, even if a check takes long', async () => {
    const check = jest.fn(() => new Promise<never>(() => undefined));
    const ready = cachedReadiness({ slow: { required: true, check } });
    void ready.full();
    await jest.advanceTimersByTimeAsync(1_400);
    void ready.full();
    expect(check).toHaveBeenCalledTimes(1);
  });

  test('shows the public names and ok, and nothing else', async () => {
    const { ready } = counted();
    expect(await ready.public()).toEqual({
      status: 'not_ready',
      dependencies: { database: { ok: false }, disk: { ok: true } },
    });
    expect((await ready.full()).dependencies.database).toMatchObject({ detail: expect.any(String), rows: 3 });
  });
});
