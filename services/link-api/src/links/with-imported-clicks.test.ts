import { expect, test } from '@jest/globals';
import { type LinkClicks, TOP_LINKS } from '@waypost/domain';
import type { ClickStats } from '@waypost/ports';
import { withImportedClicks } from './with-imported-clicks.ts';

const range = { from: '2026-11-01', to: '2026-11-30' };

const linksOf = async (
  links: readonly LinkClicks[],
  imported: readonly LinkClicks[],
  others: readonly LinkClicks[],
) => {
  const requested: string[] = [];
  const stats = {
    topLinks: async () => links,
    days: async (_: string, slugs: readonly string[]) => {
      requested.push(...slugs);
      return others.map((other) => ({ ...other, date: range.to }));
    },
  } as unknown as ClickStats;
  const imports = {
    days: async () => [],
    ofAccount: async () => ({ days: [{ date: range.from, clicks: 1 }], links: imported }),
  };
  return { requested, links: await withImportedClicks(stats, imports).topLinks('account', range, 'include') };
};

test('imported clicks rank links, and a full list is completed by what it leaves out', async () => {
  const full = Array.from({ length: TOP_LINKS }, (_, i) => ({ slug: `s${i}`, clicks: 3_000 - i }));
  const imported = [
    { slug: 's5', clicks: 10_000 },
    { slug: 'left-out', clicks: 2_500 },
  ];
  const { requested, links } = await linksOf(full, imported, [{ slug: 'left-out', clicks: 1_000 }]);
  expect(requested).toEqual(['left-out']);
  expect(links.slice(0, 3)).toEqual([
    { slug: 's5', clicks: 12_995 },
    { slug: 'left-out', clicks: 3_500 },
    { slug: 's0', clicks: 3_000 },
  ]);
  expect(links).toHaveLength(TOP_LINKS);
});

test('a list that is not full lacks only links without clicks', async () => {
  const { requested, links } = await linksOf([{ slug: 'b', clicks: 2 }], [{ slug: 'a', clicks: 2 }], []);
  expect(requested).toEqual([]);
  expect(links).toEqual([
    { slug: 'a', clicks: 2 },
    { slug: 'b', clicks: 2 },
  ]);
});
