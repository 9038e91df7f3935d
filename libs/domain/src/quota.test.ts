import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from './errors.ts';
import { assertQuota, QUOTA_WINDOW_MS, quotaAt, secondsUntil } from './quota.ts';

const NOON = new Date('2026-11-21T12:00:00.000Z');
const after = (ms: number) => new Date(NOON.getTime() + ms);
const window = { start: NOON, used: 290 };

function refusal(limit: number, used: number, count: number, now = NOON): DomainError | undefined {
  try {
    assertQuota({ limit, used, resetAt: after(QUOTA_WINDOW_MS) }, count, now);
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  return undefined;
}

describe('the window', () => {
  test('is closed before the first creation: nothing is used, and the reset is an hour from now', () => {
    expect(quotaAt(300, undefined, NOON)).toEqual({ limit: 300, used: 0, resetAt: after(QUOTA_WINDOW_MS) });
    expect(quotaAt(300, { start: NOON, used: 0 }, after(5000))).toEqual({
      limit: 300,
      used: 0,
      resetAt: after(QUOTA_WINDOW_MS + 5000),
    });
  });

  test('ends one hour after the first creation, also if more links are created', () => {
    for (const ms of [0, 1, 1_800_000, QUOTA_WINDOW_MS - 1]) {
      expect(quotaAt(300, window, after(ms))).toEqual({ limit: 300, used: 290, resetAt: after(QUOTA_WINDOW_MS) });
    }
    expect(quotaAt(300, window, after(QUOTA_WINDOW_MS))).toEqual({
      limit: 300,
      used: 0,
      resetAt: after(2 * QUOTA_WINDOW_MS),
    });
  });

  test('is closed if the clock was set back to a time before its start', () => {
    expect(quotaAt(300, window, after(-7_200_000))).toEqual({ limit: 300, used: 0, resetAt: after(-3_600_000) });
  });

  test('is open for a replica whose clock is a little late', () => {
    expect(quotaAt(300, window, after(-2_000))).toMatchObject({ used: 290, resetAt: after(QUOTA_WINDOW_MS) });
  });

  test('ends within an hour and the clocks’ difference from now', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e10, max: 1e10 }), fc.nat(300), (ms, used) => {
        const now = after(ms);
        const { resetAt } = quotaAt(300, { start: NOON, used }, now);
        expect(resetAt.getTime()).toBeGreaterThan(now.getTime());
        expect(resetAt.getTime()).toBeLessThanOrEqual(now.getTime() + QUOTA_WINDOW_MS + 60_000);
      }),
    );
  });
});

describe('a creation', () => {
  test('of more links than remain in the window is refused until the reset (429)', () => {
    expect(refusal(300, 290, 11)).toMatchObject({ code: 'quota_exceeded', retryAfterSeconds: 3600 });
    expect(refusal(300, 300, 1, after(QUOTA_WINDOW_MS - 1500))).toMatchObject({
      code: 'quota_exceeded',
      retryAfterSeconds: 2,
    });
  });

  test('of more links than the whole quota can never succeed (400)', () => {
    expect(refusal(300, 0, 301)).toMatchObject({ code: 'batch_exceeds_window', retryAfterSeconds: undefined });
    expect(refusal(300, 300, 500)).toMatchObject({ code: 'batch_exceeds_window' });
    expect(refusal(300, 0, 301)?.details).toHaveProperty('links');
  });

  test('of a single link may succeed later (429), even if the limit is 0 or was lowered', () => {
    expect(refusal(0, 0, 1)).toMatchObject({ code: 'quota_exceeded' });
    expect(refusal(5, 40, 1)).toMatchObject({ code: 'quota_exceeded', message: expect.stringContaining(' 0 of 5 ') });
  });

  test('is accepted if it fits, else 429 if it fits a whole quota, else 400', () => {
    fc.assert(
      fc.property(fc.nat(600), fc.nat(600), fc.integer({ min: 1, max: 600 }), (limit, used, count) => {
        const expected =
          count > 1 && count > limit ? 'batch_exceeds_window' : used + count > limit ? 'quota_exceeded' : undefined;
        expect(refusal(limit, used, count)?.code).toBe(expected);
      }),
    );
  });
});

test('Retry-After is whole seconds, rounded up, and never 0', () => {
  expect(secondsUntil(after(1), NOON)).toBe(1);
  expect(secondsUntil(after(1000), NOON)).toBe(1);
  expect(secondsUntil(after(1001), NOON)).toBe(2);
  expect(secondsUntil(after(-5000), NOON)).toBe(1);
});
