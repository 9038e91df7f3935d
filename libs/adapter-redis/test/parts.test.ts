import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { active } from '@waypost/contracts';
import { pause } from '@waypost/test-support';
import { entryOf, parseEntry, UNKNOWN_ENTRY } from '../src/entries.ts';
import { type GenerationWatch, type WhenCutOff, watchGeneration } from '../src/generation-watch.ts';
import { rememberMisses } from '../src/misses.ts';

describe('an entry', () => {
  test('parses to the record that was written', () => {
    expect(parseEntry(entryOf(active('ü|"', 12)))).toEqual(active('ü|"', 12));
    expect(parseEntry(UNKNOWN_ENTRY)).toBeNull();
  });

  test.each(['', 'x', '|', '1|', '1|{', '2|{"version":1}', '{"version":1}', '1|null', '1|1'])('is not %j', (text) => {
    expect(parseEntry(text)).toBeUndefined();
  });
});

describe('the state of the cache at a miss', () => {
  const old = { prefix: 'k1:', epoch: 'a' };
  const recent = { prefix: 'k2:', epoch: 'b' };

  test('is used for one fill', () => {
    const { note, take } = rememberMisses(() => 0);
    note('x', old);
    expect(take('x')).toBe(old);
    expect(take('x')).toBeUndefined();
  });

  test('is the oldest one for all fills, if a slug has several readers', () => {
    const { note, take } = rememberMisses(() => 0);
    note('x', old);
    note('x', recent);
    expect(take('x')).toBe(old);
    note('x', recent);
    expect([take('x'), take('x'), take('x')]).toEqual([old, old, undefined]);
  });

  test('is forgotten after the longest possible read', () => {
    let now = 0;
    const { note, take } = rememberMisses(() => now);
    note('x', old);
    now = 5_001;
    note('x', recent);
    expect(take('x')).toBe(recent);
  });
});

describe('the generation that a redirector knows', () => {
  let watch: GenerationWatch<number> | undefined;
  afterEach(() => {
    watch?.stop();
    jest.useRealTimers();
  });
  const LIFETIME_MS = 200;

  async function untilIs(value: number, current: GenerationWatch<number>['current']): Promise<void> {
    while ((await current()) !== value) await pause(5);
  }

  function watching(read: () => Promise<number>, whenCutOff?: WhenCutOff) {
    let skipped = 0;
    watch = watchGeneration({
      generation: { read },
      lifetimeMs: LIFETIME_MS,
      whenCutOff,
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

  test('the lifetime of a read counts from its start', async () => {
    let reads = 0;
    const { current, suspend } = watching(async () => {
      reads += 1;
      await pause(LIFETIME_MS / 3);
      return reads === 1 ? 1 : new Promise<number>(() => undefined); // only the first read gets an answer
    });
    expect(await current()).toBe(1);
    suspend((2 * LIFETIME_MS) / 3 + 5);
    expect(await current()).toBeUndefined();
  });

  test('after a suspension, a process trusts nothing until it has read again', async () => {
    let value = 1;
    const { current, suspend } = watching(async () => value);
    expect(await current()).toBe(1);
    value = 2;
    suspend(10_000);
    expect(await current()).toBeUndefined();
    await untilIs(2, current);
  });

  test('after a suspension during a read, its time-out says nothing about the store', async () => {
    let reads = 0;
    const { current, suspend } = watching(() => {
      reads += 1;
      return reads === 2 ? new Promise(() => undefined) : Promise.resolve(1);
    });
    expect(await current()).toBe(1);
    while (reads < 2) await pause(1);
    suspend(10_000);
    await pause(LIFETIME_MS + 5); // the second read times out
    expect(reads).toBeGreaterThanOrEqual(2);
    const seen = await current();
    expect([undefined, 1]).toContain(seen);
    if (seen === 1) expect(reads).toBeGreaterThan(2); // only a new read may be trusted
  });

  test.each([
    ['away', () => Promise.reject(new Error('away'))],
    ['hanging', () => new Promise<number>(() => undefined)],
  ])('while the store is %s, the cache is trusted', async (_, read) => {
    let isAway = false;
    const { current } = watching(() => (isAway ? read() : Promise.resolve(1)));
    expect(await current()).toBe(1);
    isAway = true;
    await pause(3 * LIFETIME_MS);
    expect(await current()).toBe(1);
  });

  test.each([
    ['away', () => Promise.reject(new Error('away'))],
    ['hanging', () => new Promise<number>(() => undefined)],
  ])(
    'with `refuse`, nothing is trusted once a read is too old and the store is %s, until it answers',
    async (_, read) => {
      let isAway = false;
      const { current } = watching(() => (isAway ? read() : Promise.resolve(2)), 'refuse');
      expect(await current()).toBe(2);
      isAway = true;
      const began = performance.now();
      for (let value = await current(); value !== undefined; value = await current()) {
        expect(performance.now() - began).toBeLessThan(2 * LIFETIME_MS);
        await pause(5);
      }
      await pause(LIFETIME_MS);
      expect(await current()).toBeUndefined();
      isAway = false;
      await untilIs(2, current);
    },
  );

  test('the cache is trusted from the first moment in which the store hangs', async () => {
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

  test('nothing is trusted before the first read', async () => {
    const { current } = watching(async () => {
      throw new Error('away');
    });
    expect(await current()).toBeUndefined();
  });
});
