import { describe, expect, test } from '@jest/globals';
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { DomainError, type RedirectRecord } from '@waypost/domain';
import type { LinkCache } from '@waypost/ports';
import { link, memoryReader } from '../../test/support.ts';
import { type ResolveSlugDeps, slugResolver } from './resolve-slug.ts';

const NO_EXPIRY = { lifetimeMs: Number.POSITIVE_INFINITY, size: 100 };

function resolver(deps: Partial<ResolveSlugDeps>) {
  const cache = deps.cache ?? inProcessLinkCache({ size: 10_000 });
  return { cache, ...slugResolver({ cache, reader: memoryReader([]), microCache: NO_EXPIRY, ...deps }) };
}

/** A reader whose answers the test releases. */
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
    expect(reader.asked).toEqual(['abc']);
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

  test('returns what won the fill, not what it read', async () => {
    const cache: LinkCache = {
      ...inProcessLinkCache({ size: 10_000 }),
      fill: async (record) => ({ ...record, status: 'revoked', version: 2 }),
    };
    const { lookUp } = resolver({ cache, reader: memoryReader([link('abc')]) });
    expect((await lookUp('abc'))?.location).toBeUndefined();
  });

  test('bypasses a failing cache', async () => {
    const fail = async () => {
      throw new Error('cache down');
    };
    const cache: LinkCache = { ...inProcessLinkCache({ size: 10_000 }), get: fail, fill: fail };
    const { lookUp } = resolver({ cache, reader: memoryReader([link('abc')]) });
    expect((await lookUp('abc'))?.location).toBeDefined();
  });

  test('a store that does not answer in time is unavailable, and the next visitor reads it again', async () => {
    const reader = manualReader();
    const { lookUp } = resolver({ reader, timeoutMs: 30 });
    await expect(lookUp('abc')).rejects.toThrow(DomainError);
    const second = lookUp('abc');
    await turn();
    expect(reader.waiting.length).toBe(2);
    reader.waiting[1]!(link('abc'));
    expect(await second).not.toBeNull();
  });

  test('holds no more links than its size', async () => {
    const { cache, lookUp, size } = resolver({ microCache: { lifetimeMs: 1_000, size: 10 } });
    for (let n = 100; n < 150; n += 1) {
      await cache.fill(link(`s${n}`));
      await lookUp(`s${n}`);
    }
    expect(size()).toBe(10);
  });

  test('holds a bounded number of unknown slugs, each for a second', async () => {
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

describe('revoke at once', () => {
  test('an entry expires its lifetime after its read began, however often it is used', async () => {
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

  test('repeats a read that took longer than the lifetime before it redirects anyone', async () => {
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

  test('a replace during the load repeats the load, so the older version is never an answer', async () => {
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

  test('the same when memory was too small to keep the newer version until the older one arrives', async () => {
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
    const answer = lookUp('abc'); // reads version 1
    await cache.replace([link('abc', { status: 'revoked', version: 2 })]);
    await cache.announce([link('other')]); // evicts it
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

  test('under hammering visitors and slow fills, nobody is redirected once the replace has resolved', async () => {
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
        get: async (asked) => slowly(await cache.get(asked)),
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
          const found = cached(slug) ?? (await lookUp(slug));
          if (startedAfter) expect(found?.location).toBeUndefined();
          await turn();
          if (Math.random() < 0.2) await lookUp(`other${Math.floor(Math.random() * 5)}`); // evicts
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
    await cache.announce([link('other')]); // the cache forgets version 3
    await cache.replace([link('abc', { version: 2 })]);
    expect(cached('abc')?.record.version).toBe(3);
  });

  test('finds a link as soon as it is created, also if it was unknown a moment before', async () => {
    const { cache, cached, lookUp } = resolver({});
    expect(await lookUp('fresh')).toBeNull();
    await cache.announce([link('fresh')]);
    expect(cached('fresh')?.location).toBeDefined();
  });
});
