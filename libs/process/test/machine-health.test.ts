import { describe, expect, test } from '@jest/globals';
import { readiness } from '@waypost/telemetry';
import { clockHealth, diskHealth } from '../src/machine-health.ts';

describe('the clock', () => {
  function clocks() {
    const at = { wall: 1_795_262_400_000, monotonic: 5_000, shared: undefined as number | undefined };
    const check = clockHealth({
      shared: async () => at.shared ?? Promise.reject(),
      wall: () => at.wall,
      monotonic: () => at.monotonic,
    });
    const pass = (ms: number) => {
      at.wall += ms;
      at.monotonic += ms;
    };
    return { at, check, pass };
  }

  test('is right while both clocks advance equally, also with small corrections', async () => {
    const { at, check, pass } = clocks();
    for (let hour = 0; hour < 48; hour++) {
      pass(3_600_000);
      at.wall += 500;
      expect(await check()).toEqual({ ok: true });
    }
  });

  test.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('that jumps %s is reported for ten minutes', async (_way, byMs) => {
    const { at, check, pass } = clocks();
    pass(1000);
    at.wall += byMs;
    expect(await check()).toEqual({ ok: false, detail: `the clock jumped by ${byMs / 1000} s`, jumped_by_ms: byMs });
    pass(10 * 60_000);
    expect(await check()).toMatchObject({ ok: false });
    pass(1);
    expect(await check()).toEqual({ ok: true });
  });

  test('that jumps forward and back reports the last jump', async () => {
    const { at, check, pass } = clocks();
    at.wall += 86_400_000;
    expect(await check()).toMatchObject({ jumped_by_ms: 86_400_000 });
    pass(1000);
    at.wall -= 86_400_000;
    expect(await check()).toMatchObject({ ok: false, jumped_by_ms: -86_400_000 });
  });

  test.each([
    ['3600 s ahead of', 3_600_000],
    ['3600 s behind', -3_600_000],
  ])('that was always wrong is reported as %s the shared clock, until it is right', async (words, byMs) => {
    const { at, check } = clocks();
    at.shared = at.wall - byMs;
    const detail = `the clock is ${words} the clock of PostgreSQL`;
    expect(await check()).toEqual({ ok: false, detail, ahead_by_ms: byMs });
    at.shared = at.wall - 59_000;
    expect(await check()).toEqual({ ok: true });
  });
});

test('the disk check reports the free space, and a missing folder is an error', async () => {
  const state = await diskHealth('/')();
  expect(state).toMatchObject({ ok: expect.any(Boolean), free_bytes: expect.any(Number) });
  expect(await readiness({ disk: { required: true, check: diskHealth('/does/not/exist') } })).toMatchObject({
    status: 'not_ready',
    dependencies: { disk: { ok: false, detail: expect.stringContaining('ENOENT') } },
  });
});
