import { describe, expect, test } from '@jest/globals';
import type { ListQuery } from '@waypost/ports';
import { asking, NOON, newLink, newOwner, newSlug, openStores, query } from '../links-under-test.ts';

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
});
