import { afterEach, describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { startWatchdog, type Watchdog } from '../src/watchdog.ts';

const STALL_MS = 120;

describe('the watchdog of a consumer', () => {
  let watchdog: Watchdog | undefined;
  afterEach(() => watchdog?.stop());

  function watch(lag: () => Promise<bigint>) {
    const stalls: number[] = [];
    watchdog = startWatchdog({ lag, onStall: (forMs) => stalls.push(forMs), stallMs: STALL_MS });
    return stalls;
  }

  test('reports once when messages wait and none is handled', async () => {
    const stalls = watch(async () => 5n);
    await pause(3 * STALL_MS);
    expect(stalls).toHaveLength(1);
    expect(stalls[0]).toBeGreaterThanOrEqual(STALL_MS);
  });

  test('reports nothing while messages are handled, however many wait', async () => {
    const stalls = watch(async () => 1_000_000n);
    for (let i = 0; i < 15; i++) {
      await pause(STALL_MS / 6);
      watchdog!.progress();
    }
    expect(stalls).toEqual([]);
  });

  test('reports nothing while no message waits, and counts the time from the first waiting message', async () => {
    let waiting = 0n;
    const stalls = watch(async () => waiting);
    await pause(2 * STALL_MS);
    waiting = 1n;
    await pause(STALL_MS / 2);
    expect(stalls).toEqual([]);
    watchdog!.progress();
    waiting = 0n;
    await pause(2 * STALL_MS);
    expect(stalls).toEqual([]);
  });

  test('brokers that do not answer do not count as a stall', async () => {
    const stalls = watch(async () => {
      throw new Error('away');
    });
    await pause(3 * STALL_MS);
    expect(stalls).toEqual([]);
  });
});
