/** The parts of the cache that need no Redis to test. */
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { active } from '@waypost/contracts';
import { pause } from '@waypost/test-support';
import { coalesced } from '../src/coalesced.ts';
import { entryOf, parseEntry, UNKNOWN_ENTRY } from '../src/entries.ts';
import { gathered } from '../src/gathered.ts';
import { type GenerationWatch, watchGeneration } from '../src/generation-watch.ts';
import { rememberMisses } from '../src/misses.ts';

const turns = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('an entry', () => {
  test('parses to what it was made from', () => {
    expect(parseEntry(entryOf(active('ü|"', 12)))).toEqual(active('ü|"', 12));
    expect(parseEntry(UNKNOWN_ENTRY)).toBeNull();
  });

  test.each(['', 'x', '|', '1|', '1|{', '2|{"version":1}', '{"version":1}', '1|null', '1|1'])('is not %j', (text) => {
    expect(parseEntry(text)).toBeUndefined();
  });
});

describe('gathered look-ups', () => {
  test('of one turn of the event loop share commands, with a limited number of keys each', async () => {
    const runs: (readonly string[])[] = [];
    const ask = gathered(async (keys) => {
      runs.push(keys);
      return keys.map((key) => key.toUpperCase());
    }, 3);
    expect(await Promise.all(['a', 'b', 'c', 'd', 'a'].map(ask))).toEqual(['A', 'B', 'C', 'D', 'A']);
    expect(await ask('e')).toBe('E');
    expect(runs).toEqual([['a', 'b', 'c'], ['d', 'a'], ['e']]);
  });

  test('that fail, fail for their callers, and for no later one', async () => {
    let isAway = true;
    const ask = gathered(async (keys) => {
      if (isAway) throw new Error('away');
      return keys;
    }, 10);
    const answers = await Promise.allSettled([ask('a'), ask('b')]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isAway = false;
    expect(await ask('c')).toBe('c');
  });
});

describe('coalesced calls', () => {
  test('are each answered by a run that began after them, with as few runs as possible', async () => {
    const ends: (() => void)[] = [];
    const call = coalesced(() => new Promise<void>((resolve) => ends.push(resolve)));
    const first = call();
    const others = Array.from({ length: 10 }, () => call());
    await turns();
    expect(ends).toHaveLength(1);
    ends[0]!();
    await first;
    await turns();
    expect(ends).toHaveLength(2);
    const late = call();
    ends[1]!();
    await Promise.all(others);
    await turns();
    expect(ends).toHaveLength(3);
    ends[2]!();
    await late;
  });

  test('a failed run fails its callers, and the next run still happens', async () => {
    let runs = 0;
    const call = coalesced(async () => {
      runs += 1;
      await turns();
      if (runs === 1) throw new Error('away');
    });
    const [first, second] = await Promise.allSettled([call(), call()]);
    expect([first.status, second.status, runs]).toEqual(['rejected', 'fulfilled', 2]);
  });
});

describe('the snapshot of a reader that missed', () => {
  const old = { prefix: 'k1:', epoch: 'a' };
  const recent = { prefix: 'k2:', epoch: 'b' };

  test('serves one fill', () => {
    const { note, take } = rememberMisses(() => 0);
    note('x', old);
    expect(take('x')).toBe(old);
    expect(take('x')).toBeUndefined();
  });

  test('with several readers of a slug, the oldest snapshot serves all of them', () => {
    const { note, take } = rememberMisses(() => 0);
    note('x', old);
    note('x', recent);
    expect(take('x')).toBe(old);
    note('x', recent);
    expect([take('x'), take('x'), take('x')]).toEqual([old, old, undefined]);
  });

  test('is dropped after longer than any read takes', () => {
    let now = 0;
    const { note, take } = rememberMisses(() => now);
    note('x', old);
    now = 5_001;
    note('x', recent);
    expect(take('x')).toBe(recent);
  });
});

describe('the generation, as a redirector knows it', () => {
  let watch: GenerationWatch | undefined;
  afterEach(() => {
    watch?.stop();
    jest.useRealTimers();
  });
  const LIFETIME_MS = 200;

  async function untilIs(value: number, current: GenerationWatch['current']): Promise<void> {
    while ((await current()) !== value) await pause(5);
  }

  function watching(read: () => Promise<number>, whenStoreIsAway: 'trust-cache' | 'fail-closed' = 'trust-cache') {
    let skipped = 0;
    watch = watchGeneration({
      generation: { read },
      lifetimeMs: LIFETIME_MS,
      whenStoreIsAway,
      monotonicMs: () => performance.now() + skipped,
    });
    const { current } = watch;
    return { current, suspend: (ms: number) => (skipped += ms) };
  }

  test('follows the store, and is never older than its lifetime', async () => {
    let value = 1;
    const { current } = watching(async () => value);
    expect(await current()).toBe(1);
    value = 2;
    await pause(LIFETIME_MS);
    expect(await current()).not.toBe(1);
    await untilIs(2, current);
  });

  test('a reading counts from before its request', async () => {
    let reads = 0;
    const { current } = watching(async () => {
      reads += 1;
      await pause(LIFETIME_MS / 3);
      return reads === 1 ? 1 : new Promise<number>(() => undefined); // the first is the only one
    }, 'fail-closed');
    expect(await current()).toBe(1);
    await pause((2 * LIFETIME_MS) / 3 + 5);
    expect(await current()).toBeUndefined();
  });

  test('a suspended process trusts nothing until it has read again, even with `trust-cache`', async () => {
    let value = 1;
    const { current, suspend } = watching(async () => value);
    expect(await current()).toBe(1);
    value = 2;
    suspend(10_000);
    expect(await current()).toBeUndefined();
    await untilIs(2, current);
  });

  test('suspended during a read: a late answer says nothing about the store', async () => {
    let reads = 0;
    const { current, suspend } = watching(() => {
      reads += 1;
      return reads === 2 ? new Promise(() => undefined) : Promise.resolve(1);
    });
    expect(await current()).toBe(1);
    while (reads < 2) await pause(1);
    suspend(10_000);
    await pause(LIFETIME_MS + 5); // the read times out
    expect(reads).toBeGreaterThanOrEqual(2);
    const seen = await current();
    expect([undefined, 1]).toContain(seen);
    if (seen === 1) expect(reads).toBeGreaterThan(2); // only by a new read
  });

  test.each([
    ['trust-cache', 1],
    ['fail-closed', undefined],
  ] as const)('the store away, %s', async (setting, expected) => {
    let isAway = false;
    const read = async () => {
      if (isAway) throw new Error('away');
      return 1;
    };
    const { current } = watching(read, setting);
    expect(await current()).toBe(1);
    isAway = true;
    await pause(3 * LIFETIME_MS);
    expect(await current()).toBe(expected);
  });

  test.each(['trust-cache', 'fail-closed'] as const)('a hanging store counts as away, %s', async (setting) => {
    let hangs = false;
    const { current } = watching(() => (hangs ? new Promise(() => undefined) : Promise.resolve(1)), setting);
    expect(await current()).toBe(1);
    hangs = true;
    await pause(4 * LIFETIME_MS);
    expect(await current()).toBe(setting === 'trust-cache' ? 1 : undefined);
  });

  test('from the first moment in which the store hangs, `trust-cache` trusts the cache', async () => {
    jest.useFakeTimers();
    for (const after of [0, 1 / 6, 1 / 3, 1 / 2]) {
      let hangs = false;
      const { current } = watching(() => (hangs ? new Promise(() => undefined) : Promise.resolve(1)));
      expect(await current()).toBe(1);
      await jest.advanceTimersByTimeAsync(LIFETIME_MS * (1 + after));
      hangs = true;
      for (let ms = 0; ms < 3 * LIFETIME_MS; ms += 2) {
        expect([after, ms, await current()]).toEqual([after, ms, 1]);
        await jest.advanceTimersByTimeAsync(2);
      }
      watch?.stop();
    }
  });

  test('without a first reading nothing is trusted', async () => {
    const { current } = watching(async () => {
      throw new Error('away');
    });
    expect(await current()).toBeUndefined();
  });
});
