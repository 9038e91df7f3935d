import { expect, test } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { openDatabase } from '../src/database.ts';
import { postgresScannedLinks } from '../src/index.ts';
import { Initial1700000000001 } from '../src/migrations/0001-initial.ts';
import { bareDatabase, connectTo, newDatabase } from './empty-database.ts';

/** Longer than the limit for a statement of a request. */
class Slow1800000000000 implements MigrationInterface {
  readonly name = 'Slow1800000000000';
  async up(db: QueryRunner): Promise<void> {
    await db.query('SELECT pg_sleep(3)');
    await db.query('CREATE TABLE slow (n integer)');
  }
  async down(): Promise<void> {}
}
const migrations = [Slow1800000000000];

test('a migration, and a process that waits for it, may take longer than a request', async () => {
  const address = { ...(await newDatabase()), poolSize: 2, migrations };
  const started = performance.now();
  const [one, two] = await Promise.all([openDatabase(address), openDatabase(address)]);
  expect(performance.now() - started).toBeGreaterThan(3_000);
  try {
    expect(await two.query('SELECT n FROM slow')).toEqual([]);
    expect(await one.query("SELECT count(*)::int AS n FROM migrations WHERE name LIKE 'Slow%'")).toEqual([{ n: 1 }]);
    // The limit still applies to everything else.
    await expect(one.query('SELECT pg_sleep(5)')).rejects.toThrow(/timeout/);
  } finally {
    await Promise.all([one.destroy(), two.destroy()]);
  }
});

test('a process that does not migrate fails until the schema exists', async () => {
  const address = { ...(await newDatabase()), poolSize: 1, migrations, migrate: false };
  await expect(openDatabase(address)).rejects.toThrow('the schema is not there');
});

test('existing links are filed for the scanner: those in the table, and those with an event in the outbox', async () => {
  const address = await bareDatabase();
  const before = await openDatabase({ ...address, migrations: [Initial1700000000001] });
  const link = (slug: string, status: string) =>
    before.query(
      `INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, scanned_at, scan_generation, version)
       VALUES ($1, gen_random_uuid(), 'https://example.com/' || $1, $2, '{}', now(), now(), now(), 'g1', 1)`,
      [slug, status],
    );
  for (const [slug, status] of Object.entries({
    old: 'active',
    waiting: 'active',
    bare: 'active',
    revoked: 'revoked',
    flagged: 'flagged',
  }))
    await link(slug, status);
  await before.query(
    `INSERT INTO link_expressions (h, slug) VALUES (1, 'old'), (-2, 'old'), (1, 'old'), (1, 'revoked'), (1, 'flagged')`,
  );
  await before.query(`INSERT INTO outbox (topic, key, value, expressions) VALUES
    ('links', 'waiting', '{}', '{1,3}'), ('links', 'old', '{}', '{1,-2}'), ('links', 'revoked', '{}', NULL)`);
  await before.destroy();

  const after = await connectTo(address);
  const links = postgresScannedLinks(() => after);
  const page = { after: '', limit: 10 };
  expect(await links.all(page)).toEqual(
    ['bare', 'old', 'waiting'].map((slug) => ({ slug, destinationUrl: `https://example.com/${slug}` })),
  );
  expect((await links.matching(['1'], page)).map(({ slug }) => slug)).toEqual(['old', 'waiting']);
  expect((await links.matching(['-2'], page)).map(({ slug }) => slug)).toEqual(['old']);
  await links.drop(['old', 'waiting', 'bare']);
  expect(await after.query('SELECT FROM scanner_keys')).toEqual([]);
  expect(await after.query('SELECT key FROM outbox ORDER BY id')).toEqual(
    ['waiting', 'old', 'revoked'].map((key) => ({ key })),
  );
});
