import { describe, expect, test } from '@jest/globals';
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { DomainError, type RedirectRecord } from '@waypost/domain';
import type { LinkCache } from '@waypost/ports';
import { link, memoryReader } from '../../test/support.ts';
import { type ResolveSlugDeps, slugResolver } from './resolve-slug.ts';

const FOR_EVER = { lifetimeMs: Number.POSITIVE_INFINITY, size: 100 };

function resolver(deps: Partial<ResolveSlugDeps>) {
  return slugResolver({
    cache: inProcessLinkCache({ size: 10_000 }),
    reader: memoryReader([]),
    microCache: FOR_EVER,
    ...deps,
  });
}

/** Answers when the test says so. */
function manualReader() {
  const waiting: ((record: RedirectRecord | undefined) => void)[] = [];
  return {
    waiting,
    find: () => new Promise<RedirectRecord | undefined>((resolve) => waiting.push(resolve)),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('looking up', () => {
  test('asks the cache, then the store, and fills the cache', async () => {
    const cache = inProcessLinkCache({ size: 10_000 });
    const reader = memoryReader([link('abc')]);
    const { lookUp, known } = resolver({ cache, reader });
    expect((await lookUp('abc'))?.location).toBe('https://example.org/abc?a=1&b=2');
    const filled = await cache.get('abc');
    expect(filled).toEqual(link('abc', { scannedAt: filled!.scannedAt }));
    expect(known('abc')?.record.slug).toBe('abc');
    await cache.fill(link('def'));
    await lookUp('def');
    expect(reader.asked).toEqual(['abc']);
  });

  test('one load for a hundred visitors at once', async () => {
    const reader = manualReader();
    const { lookUp } = resolver({ reader });
    const all = Array.from({ length: 100 }, () => lookUp('abc'));
    await turn();
    expect(reader.waiting.length).toBe(1);
    reader.waiting[0]!(link('abc'));
    expect(new Set(await Promise.all(all)).size).toBe(1);
  });

  test('the winner of the fill is the answer, not what was read', async () => {
    const cache: LinkCache = {
      ...inProcessLinkCache({ size: 10_000 }),
      fill: async (record) => ({ ...record, status: 'revoked', version: 2 }),
    };
    const { lookUp } = resolver({ cache, reader: memoryReader([link('abc')]) });
    expect((await lookUp('abc'))?.location).toBeUndefined();
  });

  test('a cache in trouble is passed by', async () => {
    const fail = async () => {
      throw new Error('cache down');
    };
    const cache: LinkCache = { ...inProcessLinkCache({ size: 10_000 }), get: fail, fill: fail };
    const { lookUp } = resolver({ cache, reader: memoryReader([link('abc')]) });
    expect((await lookUp('abc'))?.location).toBeDefined();
  });

  test('a store that does not answer in time is unavailable, and is asked again by the next visitor', async () => {
    const reader = manualReader();
    const { lookUp } = resolver({ reader, timeoutMs: 30 });
    await expect(lookUp('abc')).rejects.toThrow(DomainError);
    const second = lookUp('abc');
    await turn();
    expect(reader.waiting.length).toBe(2);
    reader.waiting[1]!(link('abc'));
    expect(await second).not.toBeNull();
  });

  test('holds at most as many links as it may', async () => {
    const cache = inProcessLinkCache({ size: 10_000 });
    const { lookUp, size } = resolver({ cache, microCache: { lifetimeMs: 1_000, size: 10 } });
    for (let n = 100; n < 150; n += 1) {
      await cache.fill(link(`s${n}`));
      await lookUp(`s${n}`);
    }
    expect(size()).toBe(10);
  });

  test('holds a bounded number of unknown slugs, each for a second', async () => {
    let clock = 0;
    const reader = memoryReader([]);
    const { lookUp, known } = resolver({ reader, monotonicMs: () => clock });
    expect(await lookUp('unknown0')).toBeNull();
    expect(known('unknown0')).toBeNull();
    clock = 1_001;
    expect(known('unknown0')).toBeUndefined();
    clock = 0;
    for (let n = 0; n <= 50_000; n += 1) await lookUp(`flood${n}`);
    expect(known('flood0')).toBeUndefined();
    expect(known('flood50000')).toBeNull();
  });
});

describe('revoke at once', () => {
  test('an entry dies its lifetime after the moment before its read began, however often it is used', async () => {
    let clock = 0;
    const reader = manualReader();
    const { lookUp, known } = resolver({ reader, microCache: { lifetimeMs: 200, size: 10 }, monotonicMs: () => clock });
    const answer = lookUp('abc');
    await turn();
    clock = 150;
    reader.waiting[0]!(link('abc'));
    await answer;
    for (clock = 150; clock < 200; clock += 1) expect(known('abc')?.location).toBeDefined();
    expect(known('abc')).toBeUndefined();
  });

  test('a read that took longer than the lifetime is read again before anyone is redirected by it', async () => {
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

  test('a replace during the load makes it load again, so the older version is never an answer', async () => {
    const reader = manualReader();
    const cache = inProcessLinkCache({ size: 10_000 });
    const { lookUp, known } = resolver({ cache, reader });
    const answer = lookUp('abc');
    await turn();
    await cache.replace([link('abc', { status: 'revoked', version: 2 })]);
    expect(known('abc')?.location).toBeUndefined();
    reader.waiting[0]!(link('abc'));
    expect((await answer)?.record.status).toBe('revoked');
    expect(known('abc')?.record.version).toBe(2);
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
    const { lookUp, known } = resolver({ cache: slowCache, microCache: { ...FOR_EVER, size: 1 } });
    const answer = lookUp('abc'); // reads version 1
    await cache.replace([link('abc', { status: 'revoked', version: 2 })]);
    await cache.announce([link('other')]); // evicts it
    expect(known('abc')).toBeUndefined();
    reads[0]!();
    await turn();
    reads[1]!();
    expect((await answer)?.record.status).toBe('revoked');
  });

  test('a link that is made while it is being looked up is found', async () => {
    const reader = manualReader();
    const cache = inProcessLinkCache({ size: 10_000 });
    const { lookUp } = resolver({ cache, reader });
    const answer = lookUp('fresh');
    await turn();
    await cache.announce([link('fresh')]);
    reader.waiting[0]!(undefined);
    expect((await answer)?.location).toBeDefined();
  });

  test('hammered by visitors and slow fills, nobody is redirected after the replace has resolved', async () => {
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
      const { known, lookUp } = resolver({
        cache: slowCache,
        reader: { find: async () => slowly(stored.record) },
        microCache: { ...FOR_EVER, size: 2 },
      });
      let revoked = false;
      let ended = false;
      const visitor = async () => {
        while (!ended) {
          const begunAfter = revoked;
          const found = known(slug) ?? (await lookUp(slug));
          if (begunAfter) expect(found?.location).toBeUndefined();
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
    const { known } = resolver({ cache });
    await cache.replace([link('abc', { version: 3, status: 'revoked' })]);
    await cache.announce([link('other')]); // the cache forgets version 3
    await cache.replace([link('abc', { version: 2 })]);
    expect(known('abc')?.record.version).toBe(3);
  });

  test('a link that was asked for before it was made is there as soon as it is', async () => {
    const cache = inProcessLinkCache({ size: 10_000 });
    const { known, lookUp } = resolver({ cache });
    expect(await lookUp('fresh')).toBeNull();
    await cache.announce([link('fresh')]);
    expect(known('fresh')?.location).toBeDefined();
  });
});
