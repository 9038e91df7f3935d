import { expect, test } from '@jest/globals';
import { asking, NOON, newOwner, openStores } from '../links-under-test.ts';

test('no creation fails while a migration replaces the function that creates links', async () => {
  const stores = await openStores(1_000_000);
  const { db, links } = stores;
  const ownerId = await newOwner(stores);
  const [{ made }] = await db.query<[{ made: string }]>(`SELECT pg_get_functiondef('create_links'::regproc) AS made`);
  let replacing = true;
  let created = 0;
  const clients = Array.from({ length: 6 }, async () => {
    for (; replacing; created++) await links.create(asking(ownerId, {}), NOON);
  });
  const replaced = (async () => {
    for (let i = 0; i < 100; i++) await db.query(`BEGIN; DROP FUNCTION create_links; ${made}; COMMIT`);
    replacing = false;
  })();
  await Promise.all([replaced, ...clients]);
  expect(created).toBeGreaterThan(0);
});
