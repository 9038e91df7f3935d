import { afterEach, describe, expect, test } from '@jest/globals';
import { active, linkCacheContract, revoked, unique } from '@waypost/contracts';
import { pause, until, within } from '@waypost/test-support';
import type { RedisLinkCache } from '../src/index.ts';
import { memoryGeneration, PATIENT, redisUnderTest } from './redis-under-test.ts';

const redis = redisUnderTest();
const connected = (cache: RedisLinkCache) => until(async () => (await cache.health()).ok);

linkCacheContract('Redis', async () => {
  const generation = memoryGeneration();
  const caches = [redis().cache({ generation, ...PATIENT }), redis().cache({ generation, ...PATIENT })] as const;
  for (const cache of caches) await connected(cache);
  return { caches, close: async () => undefined };
});

describe('the link cache on Redis', () => {
  afterEach(() => redis().engine.resume());

  async function open(overrides: Parameters<ReturnType<typeof redis>['cache']>[0] = {}) {
    const generation = memoryGeneration();
    const cache = redis().cache({ generation, ...overrides });
    await connected(cache);
    return { generation, cache };
  }
  const keysOf = async (slug: string) => (await redis().direct.keys('*')).filter((key) => key.endsWith(`:${slug}`));

  test('keeps links for a day and unknown slugs for half a minute, under the generation', async () => {
    const { cache } = await open();
    const [link, unknown] = [unique(), unique()];
    await cache.fill(active(link));
    await cache.get(unknown);
    expect(await cache.fillUnknown(unknown)).toBeNull();
    expect(await cache.get(unknown)).toBeNull();
    for (const [slug, most] of [
      [link, 86_400_000],
      [unknown, 30_000],
    ] as const) {
      const [key] = await keysOf(slug);
      expect(key).toMatch(/^k1:\w{8}:/);
      const remainingMs = await redis().direct.pttl(key!);
      expect(remainingMs).toBeGreaterThan(most - 10_000);
      expect(remainingMs).toBeLessThanOrEqual(most);
    }
  });

  test('an entry of an older generation is not returned after the lifetime of a read', async () => {
    const { cache, generation } = await open({ generationLifetimeMs: 90 });
    const slug = unique();
    await cache.fill(active(slug));
    expect(await cache.get(slug)).toEqual(active(slug));
    await generation.bump();
    await pause(90);
    expect(await cache.get(slug)).toBeUndefined();
  });

  test('a value in an unknown format counts as a miss', async () => {
    const { cache } = await open();
    const slug = unique();
    await cache.fill(active(slug));
    const [key] = await keysOf(slug);
    for (const garbage of ['', 'x', '1|', '2|{"version":1}', '1|null', '{}']) {
      await redis().direct.set(key!, garbage);
      expect(await cache.get(slug)).toBeUndefined();
    }
    expect(await cache.fill(active(slug, 5))).toEqual(active(slug, 5));
  });

  test('a fill from before a FLUSHALL is not written after it', async () => {
    const { cache } = await open();
    const { cache: linkApi } = await open();
    const slug = unique();
    await cache.get(unique()); // this read creates an epoch
    expect(await cache.get(slug)).toBeUndefined(); // the reader now reads the store
    await linkApi.replace([revoked(slug)]);
    await redis().direct.flushall(); // the revoked entry no longer exists
    await cache.fill(active(slug));
    expect(await keysOf(slug)).toEqual([]);
    await cache.get(slug); // this read creates a new epoch
    await cache.fill(revoked(slug));
    expect(await cache.get(slug)).toEqual(revoked(slug));
  });

  test('a fill is not written if Redis was flushed or unreachable at its read', async () => {
    const { cache } = await open();
    const slug = unique();
    await redis().direct.flushall();
    expect(await cache.get(slug)).toBeUndefined();
    await redis().direct.flushall();
    expect(await cache.fill(active(slug))).toEqual(active(slug));
    expect(await keysOf(slug)).toEqual([]);

    redis().engine.pause();
    expect(await cache.get(slug)).toBeUndefined();
    redis().engine.resume();
    await pause(1_100); // Redis is skipped for a second after failures
    expect(await cache.fill(active(slug))).toEqual(active(slug));
    expect(await keysOf(slug)).toEqual([]);
  });

  test('a fill from before a new generation is not written under it', async () => {
    const { cache, generation } = await open({ generationLifetimeMs: 60 });
    const slug = unique();
    await cache.get(unique());
    expect(await cache.get(slug)).toBeUndefined();
    await generation.bump();
    await pause(70);
    await cache.get(unique());
    await cache.fill(active(slug));
    expect(await cache.get(slug)).toBeUndefined();
  });

  test('replace waits until the micro-caches have expired', async () => {
    const { cache } = await open({ lifetimeMs: 150, generationLifetimeMs: 50 });
    await within(400, async () => {
      const began = performance.now();
      await cache.replace([revoked(unique())]);
      expect(performance.now() - began).toBeGreaterThanOrEqual(150);
    });
  });

  test('replace waits until no redirector trusts the previous generation, whichever process raised it', async () => {
    const { cache, generation } = await open({ lifetimeMs: 50, generationLifetimeMs: 300 });
    await cache.announce([active(unique())]);
    await pause(310);
    const took = async () => {
      const began = performance.now();
      await cache.replace([revoked(unique())]);
      return performance.now() - began;
    };
    expect(await took()).toBeLessThan(300);
    await generation.bump(); // another link-api raises it
    expect(await took()).toBeGreaterThanOrEqual(350);
  });

  test('cached unknown slugs become invalid if the store did not answer during a creation', async () => {
    const { cache, generation } = await open({ generationLifetimeMs: 100 });
    const slug = unique();
    expect(await cache.get(slug)).toBeUndefined();
    await cache.fillUnknown(slug);
    expect(await cache.get(slug)).toBeNull();
    generation.isAway = true;
    await expect(cache.announce([active(slug)])).rejects.toThrow('the store is away');
    await pause(250);
    generation.isAway = false;
    await until(async () => (await cache.get(slug)) === undefined);
  });

  test('announce does not wait', async () => {
    const { cache } = await open({ lifetimeMs: 10_000 });
    await within(1_000, () => cache.announce([active(unique())]));
  });

  test('while Redis is frozen readers miss quickly, then at once, and later they use the cache again', async () => {
    const { cache } = await open();
    const slug = unique();
    await cache.fill(active(slug));
    redis().engine.pause();
    let began = performance.now();
    expect(await cache.get(slug)).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(1_000);
    await within(1_000, async () => {
      for (let i = 0; i < 200; i++) expect(await cache.get(slug)).toBeUndefined();
    });
    expect(await cache.fill(active(slug, 2))).toEqual(active(slug, 2));
    expect((await cache.health()).ok).toBe(false);
    redis().engine.resume();
    began = performance.now();
    await until(async () => (await cache.get(slug)) !== undefined);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test('one late moment does not turn the cache off, however many readers it has', async () => {
    const { cache } = await open();
    const slug = unique();
    await cache.fill(active(slug));
    redis().engine.pause();
    const reads = Array.from({ length: 20 }, () => cache.get(slug));
    expect(new Set(await Promise.all(reads))).toEqual(new Set([undefined]));
    redis().engine.resume();
    await until(async () => (await cache.get(slug)) !== undefined, 900);
  });

  test('while Redis is frozen, replace raises the generation and waits until every redirector knows it', async () => {
    const { cache, generation } = await open({ lifetimeMs: 100, generationLifetimeMs: 200 });
    redis().engine.pause();
    const started = performance.now();
    await cache.replace([revoked(unique())]);
    expect(performance.now() - started).toBeGreaterThanOrEqual(300);
    expect(generation.value).toBe(2);
  });

  test('while Redis is frozen, announce does not fail, and cached unknown slugs soon become invalid', async () => {
    const { cache, generation } = await open({ generationLifetimeMs: 100 });
    redis().engine.pause();
    for (let i = 0; i < 20; i++) await cache.announce([active(unique())]);
    await until(() => generation.value > 1);
    expect(generation.value).toBeLessThan(6);
  });

  test('a killed Redis is like a frozen one, and after its restart it is used again', async () => {
    const { cache, generation } = await open();
    const slug = unique();
    await cache.fill(active(slug));
    await redis().engine.kill();
    expect(await cache.get(slug)).toBeUndefined();
    await cache.replace([revoked(slug)]);
    expect(generation.value).toBe(2);
    await redis().engine.restart();
    await until(async () => (await cache.health()).ok);
    await until(async () => {
      await cache.fill(revoked(slug));
      return (await cache.get(slug)) !== undefined;
    });
    expect(await cache.get(slug)).toEqual(revoked(slug));
  });

  test('replace rejects when neither Redis nor the store answers, because it can guarantee nothing', async () => {
    const { cache, generation } = await open();
    generation.isAway = true;
    await expect(cache.replace([revoked(unique())])).rejects.toThrow('the store is away');
  });

  test('the cache is trusted while the store does not answer', async () => {
    const { cache, generation } = await open({ generationLifetimeMs: 60 });
    const slug = unique();
    await cache.fill(active(slug));
    expect(await cache.get(slug)).toEqual(active(slug));
    generation.isAway = true;
    await pause(150);
    expect(await cache.get(slug)).toEqual(active(slug));
  });

  test('a link-api that never reads does not poll the store', async () => {
    const { cache, generation } = await open({ generationLifetimeMs: 30 });
    await cache.announce([active(unique())]);
    await pause(100);
    expect(generation.reads).toBe(1);
  });

  test('keeps no timer after it was stopped', async () => {
    const { cache } = await open();
    await cache.stop();
    expect(await cache.get(unique())).toBeUndefined();
  });
});

describe('the link cache on a Redis that restarts from an old snapshot', () => {
  const keeping = redisUnderTest({ appendOnly: true });

  test('ignores the entries of the snapshot', async () => {
    const cache = keeping().cache();
    await connected(cache);
    await cache.fill(active('old'));
    expect(await cache.get('old')).toEqual(active('old'));
    await pause(1_100); // Redis writes its file once a second
    await keeping().engine.kill();
    await keeping().engine.restart();
    await until(async () => (await cache.health()).ok);
    expect(await keeping().direct.dbsize()).toBeGreaterThan(0);
    await pause(1_100); // Redis is skipped for a second after failures
    expect(await cache.get('old')).toBeUndefined();
  });
});
