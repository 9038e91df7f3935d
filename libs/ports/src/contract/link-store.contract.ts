import { describe, expect, test } from '@jest/globals';
import {
  cleared,
  type DomainError,
  flagged,
  type Link,
  type LinkChange,
  type LinkEvent,
  linkNotFound,
  revoked,
} from '@waypost/domain';
import { LIST_SORTS, type ListQuery } from '../link-store.ts';
import {
  asking,
  atNoon,
  codeOf,
  HOUR_MS,
  type LinksUnderTest,
  NOON,
  newLink,
  newOwner,
  newSlug,
  opened,
  PHISHING,
  queuedEvents,
  tally,
} from './links-under-test.ts';

const LATER = atNoon(60_000);

/** What LinkStore promises, its writes seen through every port to the same store. */
export function linkStoreContract(name: string, open: () => Promise<LinksUnderTest>): void {
  describe(`LinkStore: ${name}`, () => {
    const store = opened(open);
    const links = () => store().links;
    const many = (count: number, stem?: string) => Array.from({ length: count }, () => ({ slug: newSlug(stem) }));

    describe('creating', () => {
      test('stores what it returns', async () => {
        const ownerId = await newOwner(store());
        const slug = newSlug();
        const url = 'https://example.com/Ä?q=%20#x';
        const { links: made } = await links().create(
          asking(ownerId, { slug, url, tags: ['Ünï', 'a"b', '{x}', 'a,b', '\\', 'NULL'] }),
          NOON,
        );
        expect(made).toEqual([
          {
            slug,
            ownerId,
            destinationUrl: url,
            status: 'active',
            threatType: null,
            tags: ['Ünï', 'a"b', '{x}', 'a,b', '\\', 'NULL'],
            createdAt: NOON,
            updatedAt: NOON,
            revokedAt: null,
            scannedAt: NOON,
            scanGeneration: 'g1',
            version: 1,
          },
        ]);
        expect(await links().find(slug)).toEqual(made[0]);
      });

      test('stores each link of a batch under its own slug', async () => {
        const ownerId = await newOwner(store());
        const wanted = Array.from({ length: 60 }, (_, i) => ({
          slug: newSlug(`${99 - i}-x`),
          url: `https://example.com/${i}`,
        }));
        const { links: made } = await links().create(asking(ownerId, ...wanted), NOON);
        expect(made.map(({ destinationUrl }) => destinationUrl)).toEqual(wanted.map(({ url }) => url));
        for (const [i, link] of made.entries()) {
          expect(link.slug).toBe(wanted[i]!.slug);
          expect(await links().find(link.slug)).toEqual(link);
        }
      });

      test('a link whose scan found a threat is born flagged; one that is only suspected is active', async () => {
        const ownerId = await newOwner(store());
        const { links: made } = await links().create(
          asking(
            ownerId,
            { slug: newSlug(), verdict: PHISHING },
            { slug: newSlug(), verdict: { ...PHISHING, outcome: 'warned' } },
          ),
          NOON,
        );
        expect(made.map(({ status, threatType }) => [status, threatType])).toEqual([
          ['flagged', 'phishing'],
          ['active', null],
        ]);
        for (const link of made) expect(await links().find(link.slug)).toEqual(link);
      });

      test('queues one event for each link', async () => {
        const ownerId = await newOwner(store());
        const wanted = [...many(3), { slug: newSlug(), verdict: PHISHING }];
        const { links: made } = await links().create(asking(ownerId, ...wanted), NOON);
        const slugs = made.map(({ slug }) => slug);
        const events = await queuedEvents(store(), slugs);
        expect(events.toSorted(bySlug)).toEqual(
          made
            .map((link) => ({
              v: 1,
              type: 'link.created',
              slug: link.slug,
              destination_url: link.destinationUrl,
              status: link.status,
              threat_type: link.threatType,
              version: 1,
              scan_generation: 'g1',
              at: NOON.toISOString(),
            }))
            .toSorted(bySlug),
        );
      });

      test('takes 500 links at once, with all that belongs to them', async () => {
        const ownerId = await newOwner(store(), 500);
        const { links: made, quota } = await links().create(asking(ownerId, ...many(500, 'bulk')), NOON);
        expect(made).toHaveLength(500);
        expect(quota.used).toBe(500);
        expect(await links().list(ownerId, query({ limit: 1 }))).toMatchObject({ total: 500 });
        const slugs = made.map(({ slug }) => slug);
        expect(await queuedEvents(store(), slugs)).toHaveLength(500);
      });

      test('serves owners side by side that create in bulk at the same time', async () => {
        const owners = await Promise.all(Array.from({ length: 8 }, () => newOwner(store())));
        const calls = owners.map((ownerId) => links().create(asking(ownerId, ...many(40)), NOON));
        expect(await tally(calls)).toEqual({ ok: 8 });
      });
    });

    describe('the quota', () => {
      const used = async (ownerId: string, now = NOON) => (await links().quota(ownerId, now)).used;

      test('is the default, or the account’s own limit as soon as it is set', async () => {
        expect(await links().quota(await newOwner(store()), NOON)).toEqual({
          limit: 300,
          used: 0,
          resetAt: atNoon(HOUR_MS),
        });
        expect(await links().quota(await newOwner(store(), 7), NOON)).toMatchObject({ limit: 7 });
      });

      test('counts each link of a batch, and is what `create` returns', async () => {
        const ownerId = await newOwner(store(), 20);
        const { quota } = await links().create(asking(ownerId, ...many(5)), NOON);
        expect(quota).toEqual({ limit: 20, used: 5, resetAt: atNoon(HOUR_MS) });
        const again = await links().create(asking(ownerId, {}), LATER);
        expect(again.quota).toEqual({ limit: 20, used: 6, resetAt: atNoon(HOUR_MS) });
        expect(await links().quota(ownerId, LATER)).toEqual(again.quota);
      });

      test('is exact: of 100 parallel creations against 10 left, 10 succeed and 90 are refused', async () => {
        const ownerId = await newOwner(store(), 30);
        await links().create(asking(ownerId, ...many(20)), NOON);
        const calls = Array.from({ length: 100 }, () => links().create(asking(ownerId, {}), NOON));
        expect(await tally(calls)).toEqual({ ok: 10, quota_exceeded: 90 });
        expect(await used(ownerId)).toBe(30);
        expect(await links().list(ownerId, query())).toMatchObject({ total: 30 });
      });

      test('is exact with batches of different size, some of which fail for another reason', async () => {
        const ownerId = await newOwner(store(), 100);
        const { slug } = await newLink(store());
        const sizes = Array.from({ length: 30 }, (_, i) => [1, 7, 13][i % 3]!);
        const created = await Promise.all(
          sizes.map((size, i) =>
            links()
              .create(asking(ownerId, ...many(size), ...(i % 5 === 0 ? [{ slug }] : [])), NOON)
              .then(({ links: made }) => made.length)
              .catch((error: { code?: string }) => {
                expect(['slug_taken', 'quota_exceeded']).toContain(error.code);
                return 0;
              }),
          ),
        );
        const sum = created.reduce((total, count) => total + count, 0);
        expect(sum).toBeGreaterThan(100 - 13);
        expect(await used(ownerId)).toBe(sum);
        expect(await links().list(ownerId, query())).toMatchObject({ total: sum });
        expect(sum).toBeLessThanOrEqual(100);
      });

      test('lets the first two creations of an account, at the same time, open one window', async () => {
        for (let round = 0; round < 5; round++) {
          const ownerId = await newOwner(store(), 1);
          const calls = [1, 2, 3].map(() => links().create(asking(ownerId, {}), NOON));
          expect(await tally(calls)).toEqual({ ok: 1, quota_exceeded: 2 });
        }
      });

      test('refuses what never fits otherwise than what fits later, which is told when', async () => {
        const ownerId = await newOwner(store(), 10);
        await links().create(asking(ownerId, ...many(4)), NOON);
        expect(await codeOf(links().create(asking(ownerId, ...many(11)), NOON))).toBe('batch_exceeds_window');
        await expect(links().create(asking(ownerId, ...many(7)), atNoon(600_000))).rejects.toMatchObject({
          code: 'quota_exceeded',
          retryAfterSeconds: 3000,
        });
        expect(await used(ownerId)).toBe(4);
      });

      test('is open again an hour after the window’s first creation, by the clock that is passed', async () => {
        const ownerId = await newOwner(store(), 2);
        await links().create(asking(ownerId, {}), NOON);
        await links().create(asking(ownerId, {}), atNoon(HOUR_MS - 2));
        expect(await codeOf(links().create(asking(ownerId, {}), atNoon(HOUR_MS - 1)))).toBe('quota_exceeded');
        expect(await used(ownerId, atNoon(HOUR_MS))).toBe(0);
        const { quota } = await links().create(asking(ownerId, {}), atNoon(HOUR_MS));
        expect(quota).toEqual({ limit: 2, used: 1, resetAt: atNoon(2 * HOUR_MS) });
      });

      test('does not lock an account out when the clock is set back', async () => {
        const ownerId = await newOwner(store(), 1);
        await links().create(asking(ownerId, {}), NOON);
        const before = atNoon(-5 * HOUR_MS);
        expect(await used(ownerId, before)).toBe(0);
        const { quota } = await links().create(asking(ownerId, {}), before);
        expect(quota).toEqual({ limit: 1, used: 1, resetAt: atNoon(-4 * HOUR_MS) });
        expect(await codeOf(links().create(asking(ownerId, {}), before))).toBe('quota_exceeded');
      });

      test('treats replicas whose clocks differ by seconds alike', async () => {
        const ownerId = await newOwner(store(), 1);
        await links().create(asking(ownerId, {}), NOON);
        expect(await used(ownerId, atNoon(-3000))).toBe(1);
        expect(await codeOf(links().create(asking(ownerId, {}), atNoon(-3000)))).toBe('quota_exceeded');
      });

      test('may be 0, and may be raised above the default', async () => {
        const none = await newOwner(store(), 0);
        expect(await codeOf(links().create(asking(none, {}), NOON))).toBe('quota_exceeded');
        const much = await newOwner(store(), 400);
        const { quota } = await links().create(asking(much, ...many(400)), NOON);
        expect(quota).toMatchObject({ limit: 400, used: 400 });
      });

      test('that was lowered below what is used refuses, and shows what was used', async () => {
        const email = `${newSlug('lowered')}@example.com`;
        const { id } = await store().accounts.create({ email, admin: false, passwordHash: null });
        await links().create(asking(id, ...many(5)), NOON);
        await store().accounts.setLimit(email, 3);
        expect(await codeOf(links().create(asking(id, {}), NOON))).toBe('quota_exceeded');
        expect(await links().quota(id, NOON)).toMatchObject({ limit: 3, used: 5 });
      });
    });

    describe('a creation that fails', () => {
      test('names the slugs that exist already, whoever has them', async () => {
        const [first, second] = [await newLink(store()), await newLink(store())];
        const ownerId = await newOwner(store());
        const wanted = [{ slug: second.slug }, ...many(1), { slug: first.slug }, {}];
        const error = await links()
          .create(asking(ownerId, ...wanted), NOON)
          .catch((thrown: DomainError) => thrown);
        expect(error).toMatchObject({ code: 'slug_taken' });
        expect((error as DomainError).details?.taken_slugs).toHaveLength(2);
        expect((error as DomainError).details?.taken_slugs).toEqual(expect.arrayContaining([second.slug, first.slug]));
      });

      test('names none when two of its links have the same slug, which nobody has', async () => {
        const ownerId = await newOwner(store());
        const slug = newSlug();
        await expect(links().create(asking(ownerId, { slug }, { slug }), NOON)).rejects.toMatchObject({
          code: 'slug_taken',
          details: { taken_slugs: [] },
        });
        expect(await links().taken([slug])).toEqual([]);
      });

      test('leaves no link and no event, and spends nothing', async () => {
        const { slug: taken } = await newLink(store());
        const ownerId = await newOwner(store(), 50);
        await links().create(asking(ownerId, {}), NOON);
        const wanted = many(20).map((link) => ({ ...link, verdict: PHISHING }));
        const failing = [
          links().create(asking(ownerId, ...wanted, { slug: taken }), NOON),
          links().create(asking(ownerId, ...wanted, ...many(30)), NOON),
          links().create(asking(ownerId, ...wanted, ...many(31)), NOON),
        ];
        expect(await tally(failing)).toEqual({ slug_taken: 1, quota_exceeded: 1, batch_exceeds_window: 1 });
        expect(await links().quota(ownerId, NOON)).toMatchObject({ used: 1 });
        expect(await links().list(ownerId, query())).toMatchObject({ total: 1 });
        const slugs = wanted.map(({ slug }) => slug);
        expect(await links().taken(slugs)).toEqual([]);
        expect(await queuedEvents(store(), slugs)).toEqual([]);
        // The same slugs can be had afterwards, so nothing of them was left.
        await links().create(asking(ownerId, ...slugs.map((slug) => ({ slug }))), NOON);
      });

      test('opens no window', async () => {
        const { slug } = await newLink(store());
        const ownerId = await newOwner(store());
        expect(await codeOf(links().create(asking(ownerId, { slug }), NOON))).toBe('slug_taken');
        expect(await links().quota(ownerId, LATER)).toEqual({ limit: 300, used: 0, resetAt: atNoon(HOUR_MS + 60_000) });
      });
    });

    describe('slugs', () => {
      test('go to one of 20 callers at once, whoever they are', async () => {
        const owners = await Promise.all(Array.from({ length: 5 }, () => newOwner(store())));
        const slug = newSlug('race');
        const calls = Array.from({ length: 20 }, (_, i) => links().create(asking(owners[i % 5]!, { slug }), NOON));
        expect(await tally(calls)).toEqual({ ok: 1, slug_taken: 19 });
        const spent = await Promise.all(owners.map((ownerId) => links().quota(ownerId, NOON)));
        expect(spent.reduce((sum, { used }) => sum + used, 0)).toBe(1);
        expect(await queuedEvents(store(), [slug])).toHaveLength(1);
      });

      test('go all to one of two batches that want the same ones in opposite order', async () => {
        const owners = await Promise.all([newOwner(store()), newOwner(store())]);
        for (let round = 0; round < 5; round++) {
          const wanted = many(30, 'both');
          const calls = [wanted, wanted.toReversed()].map((one, i) => links().create(asking(owners[i]!, ...one), NOON));
          expect(await tally(calls)).toEqual({ ok: 1, slug_taken: 1 });
        }
      });

      test('differ by case', async () => {
        const ownerId = await newOwner(store());
        const slug = newSlug('case');
        const upper = slug.toUpperCase();
        await links().create(asking(ownerId, { slug }, { slug: upper, url: 'https://example.com/upper' }), NOON);
        expect((await links().find(upper))?.destinationUrl).toBe('https://example.com/upper');
        expect((await links().find(slug))?.destinationUrl).toBe('https://example.com/');
      });

      test('are never reused, whatever became of their link', async () => {
        const [active, gone, flaggedOne] = [
          await newLink(store()),
          await newLink(store()),
          await newLink(store(), { verdict: PHISHING }),
        ];
        await links().update(gone.slug, (link) => revoked(link, LATER));
        const ownerId = await newOwner(store());
        for (const { slug, ownerId: first } of [active, gone, flaggedOne]) {
          expect(await codeOf(links().create(asking(ownerId, { slug }), LATER))).toBe('slug_taken');
          expect(await codeOf(links().create(asking(first, { slug }), LATER))).toBe('slug_taken');
        }
        const free = newSlug();
        const slugs = [free, active.slug, gone.slug, flaggedOne.slug];
        expect((await links().taken(slugs)).toSorted()).toEqual(slugs.slice(1).toSorted());
      });
    });

    describe('finding', () => {
      test('an unknown slug finds nothing', async () => {
        expect(await links().find(newSlug())).toBeUndefined();
        expect(await store().reader.find(newSlug())).toBeUndefined();
        expect(await links().taken([])).toEqual([]);
      });

      test('takes a slug as a value, whatever it looks like', async () => {
        await newLink(store());
        for (const slug of ["' OR 1=1 --", '%', '_______', '\\', '$1', 'é😀', 'x'.repeat(100_000)]) {
          expect(await links().find(slug)).toBeUndefined();
          expect(await links().taken([slug])).toEqual([]);
        }
      });

      test('the redirector reads each change as soon as it is stored', async () => {
        const { slug, destinationUrl } = await newLink(store());
        expect(await store().reader.find(slug)).toEqual({
          slug,
          status: 'active',
          destinationUrl,
          threatType: null,
          revokedAt: null,
          scannedAt: NOON.toISOString(),
          version: 1,
        });
        await links().update(slug, (link) => revoked(link, LATER));
        expect(await store().reader.find(slug)).toMatchObject({
          status: 'revoked',
          revokedAt: LATER.toISOString(),
          version: 2,
        });
      });
    });

    describe('listing', () => {
      /** Slugs of the owner's links by the query, all pages in a row. */
      async function slugsBy(ownerId: string, more: Partial<ListQuery>): Promise<string[]> {
        const slugs: string[] = [];
        for (let page = 1; ; page++) {
          const { links: found, total } = await links().list(ownerId, query({ limit: 3, ...more, page }));
          slugs.push(...found.map(({ slug }) => slug));
          if (found.length === 0) {
            expect(slugs).toHaveLength(total);
            return slugs;
          }
        }
      }

      test('shows the owner’s links only, and as `find` does', async () => {
        const [mine, other] = [await newLink(store(), { tags: ['a'] }), await newLink(store(), { tags: ['a'] })];
        expect(await links().list(mine.ownerId, query())).toEqual({ links: [mine], total: 1 });
        expect(await links().list(other.ownerId, query({ tags: ['a'] }))).toEqual({ links: [other], total: 1 });
        expect(await links().list(await newOwner(store()), query())).toEqual({ links: [], total: 0 });
      });

      test('sorts by every field both ways, ties by slug upward, by bytes, no row twice and none missed', async () => {
        const ownerId = await newOwner(store());
        const stem = newSlug('s');
        const made: Link[] = [];
        for (let i = 0; i < 14; i++) {
          const slug = `${['Z', 'a', 'B', 'z'][i % 4]}${i % 2 === 0 ? '-' : '_'}${(i * 5) % 14}${stem}`;
          const url = `https://example.com/${['b', 'B', 'ä', 'a', ''][i % 5]}`;
          const created = await links().create(
            asking(ownerId, { slug, url, ...(i % 4 === 1 ? { verdict: PHISHING } : {}) }),
            atNoon((i % 3) * 1000),
          );
          made.push(created.links[0]!);
          if (i % 4 === 0) {
            made[i] = (await links().update(slug, (link) => revoked(link, atNoon(5_000 + (i % 8)))))!;
          }
        }
        const fields = {
          created_at: (link: Link) => link.createdAt.toISOString(),
          updated_at: (link: Link) => link.updatedAt.toISOString(),
          slug: (link: Link) => link.slug,
          destination_url: (link: Link) => link.destinationUrl,
          status: (link: Link) => link.status,
        };
        for (const sort of LIST_SORTS) {
          for (const order of ['asc', 'desc'] as const) {
            const sign = order === 'asc' ? 1 : -1;
            const field = fields[sort];
            const expected = made.toSorted((a, b) => sign * byBytes(field(a), field(b)) || byBytes(a.slug, b.slug));
            expect([sort, order, await slugsBy(ownerId, { sort, order })]).toEqual([
              sort,
              order,
              expected.map(({ slug }) => slug),
            ]);
          }
        }
      });

      test('pages: whole, broken, past the last, and all of a batch made in the same millisecond', async () => {
        const ownerId = await newOwner(store());
        const { links: made } = await links().create(asking(ownerId, ...Array.from({ length: 25 }, () => ({}))), NOON);
        const page = async (number: number, limit: number) =>
          (await links().list(ownerId, query({ page: number, limit }))).links.length;
        expect([
          await page(1, 10),
          await page(2, 10),
          await page(3, 10),
          await page(4, 10),
          await page(1, 100),
        ]).toEqual([10, 10, 5, 0, 25]);
        expect(await links().list(ownerId, query({ page: 1_000_000, limit: 100 }))).toEqual({ links: [], total: 25 });
        expect(await slugsBy(ownerId, {})).toEqual(made.map(({ slug }) => slug).toSorted(byBytes));
      });

      test('filters by status', async () => {
        const ownerId = await newOwner(store());
        const [a, b, c] = [newSlug('a'), newSlug('b'), newSlug('c')];
        await links().create(asking(ownerId, { slug: a }, { slug: b, verdict: PHISHING }, { slug: c }), NOON);
        await links().update(c, (link) => revoked(link, LATER));
        expect(await slugsBy(ownerId, { status: 'active' })).toEqual([a]);
        expect(await slugsBy(ownerId, { status: 'flagged' })).toEqual([b]);
        expect(await slugsBy(ownerId, { status: 'revoked' })).toEqual([c]);
      });

      test('filters by tags: exact ones, and all of them', async () => {
        const ownerId = await newOwner(store());
        const [a, b, c] = [newSlug('a'), newSlug('b'), newSlug('c')];
        await links().create(
          asking(ownerId, { slug: a, tags: ['red', 'blue'] }, { slug: b, tags: ['red', 'Ümlaut, {"}'] }, { slug: c }),
          NOON,
        );
        expect(await slugsBy(ownerId, { tags: ['red'] })).toEqual([a, b]);
        expect(await slugsBy(ownerId, { tags: ['blue', 'red'] })).toEqual([a]);
        expect(await slugsBy(ownerId, { tags: ['red', 'red'] })).toEqual([a, b]);
        expect(await slugsBy(ownerId, { tags: ['Ümlaut, {"}'] })).toEqual([b]);
        for (const none of ['Red', 're', 'red ', 'r%', ''])
          expect(await slugsBy(ownerId, { tags: [none] })).toEqual([]);
      });

      test('searches slug and destination, any case of any script, and takes no character for a pattern', async () => {
        const ownerId = await newOwner(store());
        const stem = newSlug();
        const urls: Record<string, string> = {
          plain: 'https://example.com/Straße/100%25',
          wild: 'https://example.com/a_b%c\\d',
          greek: 'https://example.com/ΟΔΟΣ/Éclair',
          cyrillic: 'https://пример.example/ПУТЬ',
        };
        const wanted = Object.entries(urls).map(([word, url]) => ({ slug: `${word}-${stem}`, url }));
        await links().create(asking(ownerId, ...wanted), NOON);
        const found = async (search: string) =>
          (await slugsBy(ownerId, { search, sort: 'slug', order: 'asc' })).map((slug) => slug.split('-')[0]);
        expect(await found('PLAIN-')).toEqual(['plain']);
        expect(await found(`n-${stem}`)).toEqual(['plain']);
        expect(await found('EXAMPLE')).toEqual(['cyrillic', 'greek', 'plain', 'wild']);
        expect(await found('straße')).toEqual(['plain']);
        expect(await found('éCLAIR')).toEqual(['greek']);
        expect(await found('οδο')).toEqual(['greek']);
        expect(await found('путь')).toEqual(['cyrillic']);
        expect(await found('%')).toEqual(['plain', 'wild']);
        expect(await found('a_b%c\\d')).toEqual(['wild']);
        expect(await found('_')).toEqual(['wild']);
        expect(await found('e_ample')).toEqual([]);
        expect(await found('e%e')).toEqual([]);
        expect(await found('.*')).toEqual([]);
        expect(await found("'")).toEqual([]);
      });

      test('combines its filters, and counts what they leave', async () => {
        const ownerId = await newOwner(store());
        const wanted = Array.from({ length: 8 }, (_, i) => ({
          slug: newSlug(`${i}`),
          url: i % 2 === 0 ? 'https://even.example/' : 'https://odd.example/',
          tags: i < 6 ? ['low'] : [],
          ...(i % 4 === 0 ? { verdict: PHISHING } : {}),
        }));
        await links().create(asking(ownerId, ...wanted), NOON);
        const filters = { status: 'active', tags: ['low'], search: 'EVEN' } as const;
        expect(await slugsBy(ownerId, filters)).toEqual([wanted[2]!.slug]);
        expect(await links().list(ownerId, query({ ...filters, status: 'flagged', limit: 1 }))).toMatchObject({
          total: 2,
        });
      });
    });

    describe('updating', () => {
      test('stores the changed link and queues its event, in the order of the changes', async () => {
        const { slug } = await newLink(store());
        const found = { threatType: 'malware', reasons: [], generation: 'g2' } as const;
        const steps: ((link: Link) => LinkChange | undefined)[] = [
          (link) => flagged(link, found, atNoon(1000)),
          (link) => cleared(link, atNoon(2000)),
          (link) => revoked(link, atNoon(3000)),
        ];
        for (const step of steps) {
          const link = await links().update(slug, step);
          expect(await links().find(slug)).toEqual(link);
        }
        expect(await links().find(slug)).toMatchObject({ version: 4, status: 'revoked', revokedAt: atNoon(3000) });
        const events = await queuedEvents(store(), [slug]);
        expect(events.map(({ type, version, status, at }) => [type, version, status, at])).toEqual([
          ['link.created', 1, 'active', NOON.toISOString()],
          ['link.flagged', 2, 'flagged', atNoon(1000).toISOString()],
          ['link.cleared', 3, 'active', atNoon(2000).toISOString()],
          ['link.revoked', 4, 'revoked', atNoon(3000).toISOString()],
        ]);
      });

      test('an unknown slug changes nothing and asks nobody', async () => {
        const change = () => {
          throw new Error('asked');
        };
        expect(await links().update(newSlug(), change)).toBeUndefined();
      });

      test('leaves the link as it is, without an event, if the change is undefined or throws', async () => {
        const link = await newLink(store());
        await queuedEvents(store(), []);
        expect(await links().update(link.slug, () => undefined)).toEqual(link);
        const refusing = links().update(link.slug, ({ slug }) => {
          throw linkNotFound(slug);
        });
        expect(await codeOf(refusing)).toBe('link_not_found');
        expect(await links().find(link.slug)).toEqual(link);
        expect(await queuedEvents(store(), [link.slug])).toEqual([]);
      });

      test('revokes once when 20 callers revoke at the same time', async () => {
        const { slug } = await newLink(store());
        const calls = Array.from({ length: 20 }, (_, i) => links().update(slug, (link) => revoked(link, atNoon(i))));
        expect(await tally(calls)).toEqual({ ok: 1, link_already_revoked: 19 });
        expect(await links().find(slug)).toMatchObject({ version: 2 });
        const events = await queuedEvents(store(), [slug]);
        expect(events.map(({ type }) => type)).toEqual(['link.created', 'link.revoked']);
      });

      test('shows each of 20 callers the change of the one before', async () => {
        const { slug } = await newLink(store());
        const seen: number[] = [];
        const found = { threatType: 'scam', reasons: [], generation: 'g2' } as const;
        await Promise.all(
          Array.from({ length: 20 }, () =>
            links().update(slug, (link) => {
              seen.push(link.version);
              return link.status === 'active' ? flagged(link, found, LATER) : cleared(link, LATER);
            }),
          ),
        );
        expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
        const events = await queuedEvents(store(), [slug]);
        expect(events.map(({ version }) => version)).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
      });

      test('a revocation and a flag at the same moment end in one of the two lawful ways', async () => {
        for (let round = 0; round < 10; round++) {
          const { slug } = await newLink(store());
          const found = { threatType: 'scam', reasons: [], generation: 'g2' } as const;
          const outcomes = await Promise.allSettled([
            links().update(slug, (link) => revoked(link, LATER)),
            links().update(slug, (link) => flagged(link, found, LATER)),
          ]);
          const link = await links().find(slug);
          const events = (await queuedEvents(store(), [slug])).map(({ type }) => type);
          expect(link?.version).toBe(2);
          if (outcomes[0].status === 'fulfilled') {
            expect(link).toMatchObject({ status: 'revoked', threatType: null });
            expect(events).toEqual(['link.created', 'link.revoked']);
          } else {
            expect(outcomes[0].reason).toMatchObject({ code: 'link_flagged' });
            expect(link).toMatchObject({ status: 'flagged', revokedAt: null });
            expect(events).toEqual(['link.created', 'link.flagged']);
          }
        }
      });

      test('holds nobody up who changes another link', async () => {
        const [one, other] = [await newLink(store()), await newLink(store())];
        const changes = await Promise.all(
          [one, other].flatMap(({ slug }) =>
            Array.from({ length: 5 }, () => links().update(slug, (link) => ({ ...revoked(active(link), LATER) }))),
          ),
        );
        expect(changes).toHaveLength(10);
        expect((await links().find(one.slug))?.version).toBe(6);
      });
    });

    describe('reviews', () => {
      const review = (decision: 'clear' | 'keep') =>
        ({ kind: 'review', decision, reason: 'looked at it', at: LATER }) as const;
      const clear = (slug: string) => links().update(slug, (link) => cleared(link, LATER), review('clear'));
      const flag = (slug: string, rule: string, evidence: string) => {
        const reasons = [{ rule, evidence }];
        const verdict = { outcome: 'flagged', threat_type: 'scam', reasons } as const;
        return links().update(slug, (link) => flagged(link, { threatType: 'scam', reasons, generation: 'g2' }, LATER), {
          kind: 'verdict',
          verdict,
          generation: 'g2',
        });
      };

      test('that clear remember the evidence that flagged the link at its creation', async () => {
        const { slug } = await newLink(store(), { verdict: PHISHING });
        expect(await links().clearedEvidence(slug)).toEqual([]);
        await clear(slug);
        expect(await links().clearedEvidence(slug)).toEqual(['feed:phish evil.example/']);
      });

      test('that clear remember the evidence of every flag since, one after another', async () => {
        const { slug } = await newLink(store(), { verdict: PHISHING });
        await clear(slug);
        await flag(slug, 'feed:other', 'evil.example/b');
        expect(await links().clearedEvidence(slug)).toEqual(['feed:phish evil.example/']);
        await clear(slug);
        expect((await links().clearedEvidence(slug)).toSorted()).toEqual([
          'feed:other evil.example/b',
          'feed:phish evil.example/',
        ]);
      });

      test('that keep change nothing and clear nothing', async () => {
        const link = await newLink(store(), { verdict: PHISHING });
        expect(await links().update(link.slug, () => undefined, review('keep'))).toEqual(link);
        expect(await links().clearedEvidence(link.slug)).toEqual([]);
        expect(await links().find(link.slug)).toEqual(link);
      });

      test('that are refused leave nothing', async () => {
        const { slug } = await newLink(store());
        expect(await codeOf(clear(slug))).toBe('link_not_flagged');
        expect(await links().clearedEvidence(slug)).toEqual([]);
      });

      test('are of their link only', async () => {
        const [one, other] = [
          await newLink(store(), { verdict: PHISHING }),
          await newLink(store(), { verdict: PHISHING }),
        ];
        await clear(one.slug);
        expect(await links().clearedEvidence(other.slug)).toEqual([]);
        expect(await links().clearedEvidence(newSlug())).toEqual([]);
      });
    });
  });
}

/** As if nothing had happened to it. */
const active = (link: Link): Link => ({ ...link, status: 'active', revokedAt: null });

function query(more: Partial<ListQuery> = {}): ListQuery {
  return { page: 1, limit: 100, sort: 'created_at', order: 'desc', tags: [], ...more };
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const bySlug = (a: Pick<LinkEvent, 'slug'>, b: Pick<LinkEvent, 'slug'>) => byBytes(a.slug, b.slug);
