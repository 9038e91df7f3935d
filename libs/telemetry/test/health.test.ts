import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { cachedReadiness, readiness } from '../src/health.ts';

const fine = { required: true, check: () => ({ ok: true, rows: 3 }) };

describe('readiness', () => {
  test('is ready when every dependency is, and reports the facts of each', async () => {
    expect(await readiness({ database: fine, disk: { required: false, check: async () => ({ ok: true }) } })).toEqual({
      status: 'ready',
      dependencies: { database: { ok: true, rows: 3 }, disk: { ok: true } },
    });
    expect(await readiness({})).toEqual({ status: 'ready', dependencies: {} });
  });

  test('is lost with a required dependency, not with an optional one', async () => {
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

  test('answers in time although several checks hang, names each, and aborts them', async () => {
    const signals: AbortSignal[] = [];
    const check = (signal: AbortSignal) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    };
    const hangs = { required: true, check };
    const started = performance.now();
    const { status, dependencies } = await readiness({ a: hangs, b: fine, c: { ...hangs, required: false } });
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(status).toBe('not_ready');
    expect(dependencies).toEqual({
      a: { ok: false, detail: expect.stringContaining('no answer within') },
      b: { ok: true, rows: 3 },
      c: { ok: false, detail: expect.stringContaining('no answer within') },
    });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

describe('cached readiness', () => {
  const counted = () => {
    const count = { began: [] as number[], atOnce: 0, most: 0 };
    const check = async () => {
      count.began.push(performance.now());
      count.most = Math.max(count.most, ++count.atOnce);
      await pause(20);
      count.atOnce--;
      return { ok: false, detail: 'connect ECONNREFUSED 10.0.0.7:5432', rows: 3 };
    };
    return { count, ready: cachedReadiness({ database: { required: true, check }, disk: fine }) };
  };

  test('checks at most once a second, however many callers there are, and never twice at a time', async () => {
    const { count, ready } = counted();
    while (count.began.length < 3) {
      await Promise.all(Array.from({ length: 200 }, (_, i) => (i % 2 ? ready.public() : ready.full())));
      await pause(5);
    }
    const [first, second, third] = count.began as [number, number, number];
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(1_000);
    expect(count.most).toBe(1);
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
