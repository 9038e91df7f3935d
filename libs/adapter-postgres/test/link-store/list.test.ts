import { describe, expect, test } from '@jest/globals';
import { type Link, revoked } from '@waypost/domain';
import { LIST_SORTS, type ListQuery } from '@waypost/ports';
import {
  asking,
  atNoon,
  byBytes,
  LATER,
  NOON,
  newLink,
  newOwner,
  newSlug,
  openStores,
  PHISHING,
  query,
  SORTED_BY,
} from '../links-under-test.ts';

const store = await openStores();
const { links } = store;

describe('listing', () => {
  /** The slugs of the owner's links for the query, all pages in a row. */
  async function slugsBy(ownerId: string, overrides: Partial<ListQuery>): Promise<string[]> {
    const slugs: string[] = [];
    for (let page = 1; ; page++) {
      const { links: found, total } = await links.list(ownerId, query({ limit: 3, ...overrides, page }));
      slugs.push(...found.map(({ slug }) => slug));
      if (found.length === 0) {
        expect(slugs).toHaveLength(total);
        return slugs;
      }
    }
  }

  test('lists only the owner’s links, the same as `find` returns', async () => {
    const [mine, other] = [await newLink(store, { tags: ['a'] }), await newLink(store, { tags: ['a'] })];
    expect(await links.list(mine.ownerId, query())).toEqual({ links: [mine], total: 1 });
    expect(await links.list(other.ownerId, query({ tags: ['a'] }))).toEqual({ links: [other], total: 1 });
    expect(await links.list(await newOwner(store), query())).toEqual({ links: [], total: 0 });
  });

  test('sorts by every field in both directions, ties by slug ascending by bytes, no row twice and none missed', async () => {
    const ownerId = await newOwner(store);
    const stem = newSlug('s');
    const made: Link[] = [];
    for (let i = 0; i < 14; i++) {
      const slug = `${['Z', 'a', 'B', 'z'][i % 4]}${i % 2 === 0 ? '-' : '_'}${(i * 5) % 14}${stem}`;
      const url = `https://example.com/${['b', 'B', 'ä', 'a', ''][i % 5]}`;
      const created = await links.create(
        asking(ownerId, { slug, url, ...(i % 4 === 1 ? { verdict: PHISHING } : {}) }),
        atNoon((i % 3) * 1000),
      );
      made.push(created.links[0]!);
      if (i % 4 === 0) {
        made[i] = (await links.update(slug, (link) => revoked(link, atNoon(5_000 + (i % 8)))))!;
      }
    }
    for (const sort of LIST_SORTS) {
      for (const order of ['asc', 'desc'] as const) {
        const sign = order === 'asc' ? 1 : -1;
        const field = SORTED_BY[sort];
        const expected = made.toSorted((a, b) => sign * byBytes(field(a), field(b)) || byBytes(a.slug, b.slug));
        expect([sort, order, await slugsBy(ownerId, { sort, order })]).toEqual([
          sort,
          order,
          expected.map(({ slug }) => slug),
        ]);
      }
    }
  });

  test('pages: full, partial, past the last, and a whole batch of one millisecond', async () => {
    const ownerId = await newOwner(store);
    const { links: made } = await links.create(asking(ownerId, ...Array.from({ length: 25 }, () => ({}))), NOON);
    const page = async (number: number, limit: number) =>
      (await links.list(ownerId, query({ page: number, limit }))).links.length;
    expect([await page(1, 10), await page(2, 10), await page(3, 10), await page(4, 10), await page(1, 100)]).toEqual([
      10, 10, 5, 0, 25,
    ]);
    expect(await links.list(ownerId, query({ page: 1_000_000, limit: 100 }))).toEqual({ links: [], total: 25 });
    expect(await slugsBy(ownerId, {})).toEqual(made.map(({ slug }) => slug).toSorted(byBytes));
  });

  test('filters by status', async () => {
    const ownerId = await newOwner(store);
    const [a, b, c] = [newSlug('a'), newSlug('b'), newSlug('c')];
    await links.create(asking(ownerId, { slug: a }, { slug: b, verdict: PHISHING }, { slug: c }), NOON);
    await links.update(c, (link) => revoked(link, LATER));
    expect(await slugsBy(ownerId, { status: 'active' })).toEqual([a]);
    expect(await slugsBy(ownerId, { status: 'flagged' })).toEqual([b]);
    expect(await slugsBy(ownerId, { status: 'revoked' })).toEqual([c]);
  });

  test('filters by tags: exact matches, and all of them', async () => {
    const ownerId = await newOwner(store);
    const [a, b, c] = [newSlug('a'), newSlug('b'), newSlug('c')];
    await links.create(
      asking(ownerId, { slug: a, tags: ['red', 'blue'] }, { slug: b, tags: ['red', 'Ümlaut, {"}'] }, { slug: c }),
      NOON,
    );
    expect(await slugsBy(ownerId, { tags: ['red'] })).toEqual([a, b]);
    expect(await slugsBy(ownerId, { tags: ['blue', 'red'] })).toEqual([a]);
    expect(await slugsBy(ownerId, { tags: ['red', 'red'] })).toEqual([a, b]);
    expect(await slugsBy(ownerId, { tags: ['Ümlaut, {"}'] })).toEqual([b]);
    for (const none of ['Red', 're', 'red ', 'r%', '']) expect(await slugsBy(ownerId, { tags: [none] })).toEqual([]);
  });

  test('searches slug and destination, ignoring case in any script, and treats no character as a pattern', async () => {
    const ownerId = await newOwner(store);
    const stem = newSlug();
    const urls: Record<string, string> = {
      plain: 'https://example.com/Straße/100%25',
      wild: 'https://example.com/a_b%c\\d',
      greek: 'https://example.com/ΟΔΟΣ/Éclair',
      cyrillic: 'https://пример.example/ПУТЬ',
    };
    const wanted = Object.entries(urls).map(([word, url]) => ({ slug: `${word}-${stem}`, url }));
    await links.create(asking(ownerId, ...wanted), NOON);
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

  test('combines its filters, and counts the matches', async () => {
    const ownerId = await newOwner(store);
    const wanted = Array.from({ length: 8 }, (_, i) => ({
      slug: newSlug(`${i}`),
      url: i % 2 === 0 ? 'https://even.example/' : 'https://odd.example/',
      tags: i < 6 ? ['low'] : [],
      ...(i % 4 === 0 ? { verdict: PHISHING } : {}),
    }));
    await links.create(asking(ownerId, ...wanted), NOON);
    const filters = { status: 'active', tags: ['low'], search: 'EVEN' } as const;
    expect(await slugsBy(ownerId, filters)).toEqual([wanted[2]!.slug]);
    expect(await links.list(ownerId, query({ ...filters, status: 'flagged', limit: 1 }))).toMatchObject({
      total: 2,
    });
  });
});
