import { expect, test } from '@jest/globals';
import { CLICK_RETENTION_DAYS } from '@waypost/domain';
import { openStores } from '../../test/stores.ts';

const { db, imports } = await openStores();

test('each imported day expires at its own age, and a link without days is removed', async () => {
  const days = { '2026-01-01': 1, '2026-03-01': 2 };
  const stored =
    "INSERT INTO imported_clicks (slug, owner_id, days, last_day) VALUES ($1, gen_random_uuid(), $2, '2026-03-01')";
  for (const slug of ['one', 'two']) await db.query(stored, [slug, days]);
  const remaining = () => db.query('SELECT slug, days FROM imported_clicks ORDER BY slug');
  const forgetAt = (day: string, later: number) => imports.forget(new Date(Date.parse(day) + later * 86_400_000));
  await forgetAt('2026-01-01', CLICK_RETENTION_DAYS - 1);
  expect(await remaining()).toEqual(['one', 'two'].map((slug) => ({ slug, days })));
  await forgetAt('2026-01-01', CLICK_RETENTION_DAYS + 1);
  expect(await remaining()).toEqual(['one', 'two'].map((slug) => ({ slug, days: { '2026-03-01': 2 } })));
  await forgetAt('2026-03-01', CLICK_RETENTION_DAYS + 1);
  expect(await remaining()).toEqual([]);
});
