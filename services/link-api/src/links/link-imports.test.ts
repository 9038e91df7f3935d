import { expect, test } from '@jest/globals';
import { CLICK_RETENTION_DAYS, TOP_LINKS } from '@waypost/domain';
import { openStores } from '../../test/stores.ts';

const { db, imports } = await openStores();
const OWNER = '00000000-0000-4000-8000-000000000001';

test('each imported day expires at its own age, and a link without days is removed', async () => {
  const days = { '2026-01-01': 1, '2026-03-01': 2 };
  for (const slug of ['one', 'two']) await store(slug, '2026-01-01', [1, ...Array(58).fill(1), 3]);
  await db.query("INSERT INTO imported_days VALUES ($1, '2026-01-01', 2), ($1, '2026-03-01', 4)", [OWNER]);
  const all = { from: '2025-01-01', to: '2026-12-31' };
  const remaining = async () => {
    const ofLinks = await imports.days(['one', 'two'], all);
    const ofAccount = await imports.ofAccount(OWNER, all);
    return { ofLinks, ofAccount };
  };
  const of = (expected: Readonly<Record<string, number>>) => {
    const entries = Object.entries(expected);
    const sum = entries.reduce((total, [, clicks]) => total + clicks, 0);
    return {
      ofLinks: ['one', 'two'].flatMap((slug) => entries.map(([date, clicks]) => ({ slug, date, clicks }))),
      ofAccount: {
        days: entries.map(([date, clicks]) => ({ date, clicks: 2 * clicks })),
        links: sum === 0 ? [] : ['one', 'two'].map((slug) => ({ slug, clicks: sum })),
      },
    };
  };
  const forgetAt = (day: string, later: number) => imports.forget(new Date(Date.parse(day) + later * 86_400_000));
  await forgetAt('2026-01-01', CLICK_RETENTION_DAYS - 1);
  expect(await remaining()).toEqual(of(days));
  await forgetAt('2026-01-01', CLICK_RETENTION_DAYS + 1);
  expect(await remaining()).toEqual(of({ '2026-03-01': 2 }));
  expect(await db.query('SELECT DISTINCT first_day::text, totals[59 - 1]::int AS last FROM imported_clicks')).toEqual([
    { first_day: '2026-01-02', last: 0 },
  ]);
  await forgetAt('2026-03-01', CLICK_RETENTION_DAYS + 1);
  expect(await remaining()).toEqual(of({}));
});

test('figures of an account with 100,000 imported links are read within the time limit of a statement', async () => {
  for (let first = 1; first <= 100_000; first += 5_000)
    await db.query(
      `INSERT INTO imported_clicks SELECT 'slug-' || i, $1, '2026-08-28', '2026-11-25', t.totals
       FROM generate_series($2::int, $2::int + 4999) AS i,
         (SELECT array_agg(n) AS totals FROM generate_series(1, 90) AS n) AS t`,
      [OWNER, first],
    );
  const { links } = await imports.ofAccount(OWNER, { from: '2026-08-28', to: '2026-11-25' });
  expect(links).toHaveLength(TOP_LINKS);
  expect(links[0]).toEqual({ slug: 'slug-1', clicks: 90 });
  const week = await imports.ofAccount(OWNER, { from: '2026-11-19', to: '2026-11-25' });
  expect(week.links[0]).toEqual({ slug: 'slug-1', clicks: 7 });
}, 60_000);

const store = (slug: string, firstDay: string, totals: readonly number[]) =>
  db.query('INSERT INTO imported_clicks VALUES ($1, $2, $3, $3::date + $4::int - 1, $5)', [
    slug,
    OWNER,
    firstDay,
    totals.length,
    totals,
  ]);
