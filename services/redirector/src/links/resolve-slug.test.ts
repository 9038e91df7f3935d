import { describe, expect, test } from '@jest/globals';
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { DomainError, type RedirectRecord } from '@waypost/domain';
import type { LinkCache } from '@waypost/ports';
import { link, memoryReader } from '../../test/support.ts';
import { type ResolveSlugDeps, SlugResolver } from './resolve-slug.ts';

const NO_EXPIRY = { lifetimeMs: Number.POSITIVE_INFINITY, size: 100 };

function resolver(deps: Partial<ResolveSlugDeps>) {
  const cache = deps.cache ?? inProcessLinkCache({ size: 10_000 });
  const resolve = new SlugResolver({ cache, reader: memoryReader([]), microCache: NO_EXPIRY, ...deps });
  return {
    cache,
    cached: (slug: string) => resolve.cached(slug),
    lookUp: (slug: string) => resolve.lookUp(slug),
    created: (slugs: readonly string[]) => resolve.created(slugs),
    size: () => resolve.size(),
  };
}

/** Each read waits until the test answers it. */
function manualReader() {
  const waiting: ((record: RedirectRecord | undefined) => void)[] = [];
  return {
    waiting,
    find: () => new Promise<RedirectRecord | undefined>((resolve) => waiting.push(resolve)),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('looking up', () => {
  test('reads the cache, then the store, and fills the cache', async () => {
    const reader = memoryReader([link('abc')]);
    const { cache, cached, lookUp } = resolver({ reader });
    expect((await lookUp('abc'))?.location).toBe('https://example.org/abc?a=1&b=2');
    const filled = await cache.get('abc');
    expect(filled).toEqual(link('abc', { scannedAt: filled!.scannedAt }));
    expect(cached('abc')?.record.slug).toBe('abc');
    await cache.fill(link('def'));
    await lookUp('def');
    expect(reader.lookups).toEqual(['abc']);
  });

  test('a hundred visitors at once share one load', async () => {
    const reader = manualReader();
    const { lookUp } = resolver({ reader });
    const all = Array.from({ length: 100 }, () => lookUp('abc'));
    await turn();
    expect(reader.waiting.length).toBe(1);
    reader.waiting[0]!(link('abc'));
    expect(new Set(await Promise.all(all)).size).toBe(1);
  });

  test('returns the version that the cache has after the fill, even if it read another one', async () => {
    const cache: LinkCache = {
      ...inProcessLinkCache({ size: 10_000 }),
      fill: async (record) => ({ ...record, status: 'revoked', version: 2 }),
    };
    const { lookUp } = resolver({ cache, reader: memoryReader([link('abc')]) });
    expect((await lookUp('abc'))?.location).toBeUndefined();
  });

  test('reads the store if the cache fails', async () => {
    const fail = async () => {
      throw new Error('cache down');
    };
    const cache: LinkCache = { ...inProcessLinkCache({ size: 10_000 }), get: fail, fill: fail };
    const { lookUp } = resolver({ cache, reader: memoryReader([link('abc')]) });
    expect((await lookUp('abc'))?.location).toBeDefined();
  });

  test('is unavailable if the store does not answer in time, and the next visitor causes a new read', async () => {
    const reader = manualReader();
    const { lookUp } = resolver({ reader, timeoutMs: 30 });
    await expect(lookUp('abc')).rejects.toThrow(DomainError);
    const second = lookUp('abc');
    await turn();
    expect(reader.waiting.length).toBe(2);
    reader.waiting[1]!(link('abc'));
    expect(await second).not.toBeNull();
  });

  test('keeps no more links than its size', async () => {
    const { cache, lookUp, size } = resolver({ microCache: { lifetimeMs: 1_000, size: 10 } });
    for (let n = 100; n < 150; n += 1) {
      await cache.fill(link(`s${n}`));
      await lookUp(`s${n}`);
    }
    expect(size()).toBe(10);
  });

  test('keeps a limited number of unknown slugs, each for a second', async () => {
    let clock = 0;
    const reader = memoryReader([]);
    const { lookUp, cached } = resolver({ reader, monotonicMs: () => clock });
    expect(await lookUp('unknown0')).toBeNull();
    expect(cached('unknown0')).toBeNull();
    clock = 1_001;
    expect(cached('unknown0')).toBeUndefined();
    clock = 0;
    for (let n = 0; n <= 50_000; n += 1) await lookUp(`flood${n}`);
    expect(cached('flood0')).toBeUndefined();
    expect(cached('flood50000')).toBeNull();
  });
});

describe('a revoke', () => {
  test('the lifetime of an entry counts from the start of its read, however often it is used', async () => {
    let clock = 0;
    const reader = manualReader();
    const { lookUp, cached } = resolver({
      reader,
      microCache: { lifetimeMs: 200, size: 10 },
      monotonicMs: () => clock,
    });
    const answer = lookUp('abc');
    await turn();
    clock = 150;
    reader.waiting[0]!(link('abc'));
    await answer;
    for (clock = 150; clock < 200; clock += 1) expect(cached('abc')?.location).toBeDefined();
    expect(cached('abc')).toBeUndefined();
  });

  test('a read that took longer than the lifetime is repeated before a redirect', async () => {
    let clock = 0;
    const reader = manualReader();
    const cache: LinkCache = { ...inProcessLinkCache({ size: 10_000 }), get: async () => undefined };
    const { lookUp } = resolver({ cache, reader, microCache: { lifetimeMs: 200, size: 10 }, monotonicMs: () => clock });
    const answer = lookUp('abc');
    await turn();
    clock = 201;
    reader.waiting[0]!(link('abc'));
    await turn();
    reader.waiting[1]!(link('abc', { status: 'revoked', version: 2 }));
    expect((await answer)?.record.status).toBe('revoked');
  });

  test('a replace during a load repeats the load, so the older version is never used', async () => {
    const reader = manualReader();
    const { cache, cached, lookUp } = resolver({ reader });
    const answer = lookUp('abc');
    await turn();
    await cache.replace([link('abc', { status: 'revoked', version: 2 })]);
    expect(cached('abc')?.location).toBeUndefined();
    reader.waiting[0]!(link('abc'));
    expect((await answer)?.record.status).toBe('revoked');
    expect(cached('abc')?.record.version).toBe(2);
  });

  test('the older version is not used even if memory has already dropped the newer one', async () => {
    const cache = inProcessLinkCache({ size: 10_000 });
    const reads: (() => void)[] = [];
    const slowCache: LinkCache = {
      ...cache,
      get: (slug) => {
        const record = cache.get(slug);
        return new Promise((resolve) => reads.push(() => resolve(record)));
      },
    };
    await cache.fill(link('abc'));
    const { lookUp, cached } = resolver({ cache: slowCache, microCache: { ...NO_EXPIRY, size: 1 } });
    const answer = lookUp('abc'); // this reads version 1
    await cache.replace([link('abc', { status: 'revoked', version: 2 })]);
    await cache.announce([link('other')]); // this removes `abc` from memory
    expect(cached('abc')).toBeUndefined();
    reads[0]!();
    await turn();
    reads[1]!();
    expect((await answer)?.record.status).toBe('revoked');
  });

  test('finds a link that is created during its look-up', async () => {
    const reader = manualReader();
    const { cache, lookUp } = resolver({ reader });
    const answer = lookUp('fresh');
    await turn();
    await cache.announce([link('fresh')]);
    reader.waiting[0]!(undefined);
    expect((await answer)?.location).toBeDefined();
  });

  test('with many visitors and slow fills, nobody is redirected after the replace has resolved', async () => {
    for (let round = 0; round < 50; round += 1) {
      const slug = `race${round}`;
      const cache = inProcessLinkCache({ size: 10_000 });
      const slowly = async <T>(value: T) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
        return value;
      };
      const stored = { record: link(slug) };
      const slowCache: LinkCache = {
        ...cache,
        get: async (keys) => slowly(await cache.get(keys)),
        fill: async (record) => slowly(await cache.fill(await slowly(record))),
      };
      const { cached, lookUp } = resolver({
        cache: slowCache,
        reader: { find: async () => slowly(stored.record) },
        microCache: { ...NO_EXPIRY, size: 2 },
      });
      let revoked = false;
      let ended = false;
      const visitor = async () => {
        while (!ended) {
          const startedAfter = revoked;
          const record = cached(slug) ?? (await lookUp(slug));
          if (startedAfter) expect(record?.location).toBeUndefined();
          await turn();
          if (Math.random() < 0.2) await lookUp(`other${Math.floor(Math.random() * 5)}`); // drops the slug from memory
        }
      };
      const visitors = Array.from({ length: 6 }, visitor);
      await new Promise((resolve) => setTimeout(resolve, 3));
      stored.record = link(slug, { status: 'revoked', version: 2 });
      await cache.replace([stored.record]);
      revoked = true;
      await new Promise((resolve) => setTimeout(resolve, 10));
      ended = true;
      await Promise.all(visitors);
    }
  });

  test('an older version never replaces a newer one', async () => {
    const cache = inProcessLinkCache({ size: 1 });
    const { cached } = resolver({ cache });
    await cache.replace([link('abc', { version: 3, status: 'revoked' })]);
    await cache.announce([link('other')]); // the cache drops version 3
    await cache.replace([link('abc', { version: 2 })]);
    expect(cached('abc')?.record.version).toBe(3);
  });

  test('finds a new link at once, even if its slug was unknown a moment before', async () => {
    const { cache, cached, lookUp } = resolver({});
    expect(await lookUp('fresh')).toBeNull();
    await cache.announce([link('fresh')]);
    expect(cached('fresh')?.location).toBeDefined();
  });
});
