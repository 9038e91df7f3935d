import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { RedirectRecord } from '@waypost/domain';
import type { LinkCache } from '@waypost/ports';
import { pause } from '@waypost/test-support';
import fc from 'fast-check';
import { active, revoked } from './records.ts';
import { unique } from './unique.ts';

/** The time limit of `announce`, `put` and `replace`: for each call, and for each thousand records. */
const CACHE_WRITE_MAX_MS = { perCall: 2_000, perThousand: 500 };

export interface LinkCacheUnderTest {
  /**
   * Two processes each have one view of the same cache. If the cache cannot be shared, both views are the same object.
   */
  readonly caches: readonly [LinkCache, LinkCache];
  close(): Promise<void>;
}

/**
 * Tests what a working LinkCache promises: a read never returns an older record than the newest that the cache
 * received.
 */
export function linkCacheContract(name: string, open: () => Promise<LinkCacheUnderTest>): void {
  describe(`LinkCache: ${name}`, () => {
    let opened: LinkCacheUnderTest;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());
    const cache = (which = 0) => opened.caches[which]!;
    /** Reads as a redirector does: if a slow store made the cache lose a record, it comes from the database. */
    const read = async (which: 0 | 1, newest: RedirectRecord) => {
      const cached = await cache(which).get(newest.slug);
      return cached === undefined ? cache(which).fill(newest) : cached;
    };

    test('does not know a slug that it was never given', async () => {
      expect(await cache().get(unique())).toBeUndefined();
    });

    test('returns a filled record, field by field, to every process', async () => {
      const records: RedirectRecord[] = [
        active(unique()),
        revoked(unique(), 2),
        { ...active(unique(), 7), status: 'flagged', threatType: 'phishing' },
      ];
      for (const record of records) {
        expect(await cache().fill(record)).toEqual(record);
        expect(await cache(0).get(record.slug)).toEqual(record);
        expect(await cache(1).get(record.slug)).toEqual(record);
      }
    });

    test('a slug unknown to the store may be cached as unknown, until the link is announced', async () => {
      const [slug, other] = [unique(), unique()];
      expect(await cache().fillUnknown(slug)).toBeNull();
      expect((await cache(1).get(slug)) ?? null).toBeNull();
      await cache().announce([active(slug)]);
      expect(await cache(1).get(slug)).toEqual(active(slug));
      await cache().fillUnknown(other);
      expect(await cache(1).fill(active(other))).toEqual(active(other));
      expect(await cache().get(other)).toEqual(active(other));
    });

    test('a known link stays known when an older read did not find it', async () => {
      const slug = unique();
      await cache().announce([active(slug)]);
      expect(await cache(1).fillUnknown(slug)).toEqual(active(slug));
      expect(await cache().get(slug)).toEqual(active(slug));
    });

    test('a slow read from the store does not bring a revoked link back', async () => {
      const slug = unique();
      const slowRead = pause(20).then(() => cache(1).fill(active(slug)));
      await cache().replace([revoked(slug, 2)]);
      expect(await slowRead).toEqual(revoked(slug, 2));
      for (const which of [0, 1]) expect(await cache(which).get(slug)).toEqual(revoked(slug, 2));
    });

    test('when replace resolves, every process has the new record, whether it knew the old one or not', async () => {
      const [existing, unknown] = [unique(), unique()];
      for (const which of [0, 1]) {
        await cache(which).fill(active(existing));
        await cache(which).get(existing);
      }
      await cache().replace([revoked(existing, 2), revoked(unknown, 2)]);
      for (const which of [0, 1]) {
        for (const slug of [existing, unknown]) {
          const now = await cache(which).get(slug);
          expect(now).toEqual(revoked(slug, 2));
        }
      }
    });

    test('when put resolves, every read gets the new record, whichever process reads', async () => {
      const [existing, unknown] = [unique(), unique()];
      for (const which of [0, 1]) await cache(which).fill(active(existing));
      await cache().put([revoked(existing, 2), revoked(unknown, 2)]);
      for (const which of [0, 1]) {
        for (const slug of [existing, unknown]) expect(await cache(which).get(slug)).toEqual(revoked(slug, 2));
      }
      await cache(1).put([active(existing, 1)]);
      expect(await cache().get(existing)).toEqual(revoked(existing, 2));
    });

    test.each(['announce', 'put', 'replace'] as const)(
      '%s of many records takes one wait at most, not one for each',
      async (way) => {
        const { perCall, perThousand } = CACHE_WRITE_MAX_MS;
        const took = async (count: number) => {
          const records = Array.from({ length: count }, () => revoked(unique('many'), 2));
          const began = performance.now();
          await cache()[way](records);
          return performance.now() - began;
        };
        expect(await took(1)).toBeLessThan(perCall);
        expect(await took(5_000)).toBeLessThan(perCall + 5 * perThousand);
      },
    );

    test('does nothing for empty lists', async () => {
      await expect(cache().announce([])).resolves.toBeUndefined();
      await expect(cache().put([])).resolves.toBeUndefined();
      await expect(cache().replace([])).resolves.toBeUndefined();
    });

    test('notifies each watcher of this process of every announce, put and replace, before they resolve', async () => {
      const [added, changed] = [unique(), unique()];
      const notified: RedirectRecord[][] = [[], []];
      for (const list of notified) cache().watch((record) => list.push(record));
      const own = (list: readonly RedirectRecord[]) => list.filter(({ slug }) => slug === added || slug === changed);
      await cache().announce([active(added)]);
      for (const list of notified) expect(own(list)).toEqual([active(added)]);
      await cache().replace([revoked(changed, 2)]);
      for (const list of notified) expect(own(list)).toEqual([active(added), revoked(changed, 2)]);
      await cache().put([revoked(changed, 3)]);
      for (const list of notified) expect(own(list).at(-1)).toEqual(revoked(changed, 3));
    });

    test('a watcher never reads an older record than the one it was notified of', async () => {
      const slug = unique();
      await cache().fill(active(slug));
      const reads: Promise<RedirectRecord | null | undefined>[] = [];
      cache().watch((record) => {
        if (record.slug === slug) reads.push(read(0, revoked(slug, 2)));
      });
      await cache().replace([revoked(slug, 2)]);
      expect(await Promise.all(reads)).toEqual([revoked(slug, 2)]);
    });

    test('twenty concurrent callers leave the newest record, and none gets a record older than its own', async () => {
      for (let round = 0; round < 10; round++) {
        const slug = unique();
        const versions = Array.from({ length: 20 }, (_, i) => ((i * 7) % 20) + 1);
        await Promise.all(
          versions.map(async (version, i) => {
            const record = version === 20 ? revoked(slug, version) : active(slug, version);
            const way = cache(i % 2);
            // The newest record, like each change, comes with `replace`.
            if (version % 3 === 2) await way.replace([record]);
            else expect((await way.fill(record)).version).toBeGreaterThanOrEqual(version);
            expect((await way.get(slug))?.version ?? 20).toBeGreaterThanOrEqual(version);
          }),
        );
        for (const which of [0, 1] as const) expect(await read(which, revoked(slug, 20))).toEqual(revoked(slug, 20));
      }
    });

    test('after any history it holds the newest record of each link that it was given', async () => {
      const step = fc.record({
        way: fc.constantFrom('fill', 'replace', 'announce'),
        which: fc.nat(1),
        link: fc.nat(2),
        version: fc.integer({ min: 1, max: 6 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          const slugs = [unique(), unique(), unique()];
          const newest = new Map<string, number>();
          for (const { way, which, link, version } of steps) {
            const slug = slugs[link]!;
            const record = active(slug, version);
            newest.set(slug, Math.max(version, newest.get(slug) ?? 0));
            if (way === 'fill') expect((await cache(which).fill(record)).version).toBe(newest.get(slug));
            else if (way === 'replace') await cache(which).replace([record]);
            else await cache(which).announce([record]);
          }
          for (const slug of slugs) {
            const version = newest.get(slug);
            if (version === undefined) continue;
            for (const which of [0, 1] as const)
              expect((await read(which, active(slug, version)))?.version).toBe(version);
          }
        }),
        { numRuns: 40 },
      );
    });

    test('takes a slug as a value, whatever it looks like', async () => {
      for (const slug of ['__proto__', 'constructor', 'toString', '*', '%', ' ', 'a:b', '{x}', 'é😀', 'Case', 'case']) {
        expect(await cache().get(slug)).toBeUndefined();
        await cache().fill(active(slug));
        expect(await cache(1).get(slug)).toEqual(active(slug));
      }
    });
  });
}
