import { expect, test } from '@jest/globals';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrate, openDatabase } from '../src/database.ts';
import { MIGRATION_NAMES, postgresScannedLinks } from '../src/index.ts';
import { Initial1700000000001 } from '../src/migrations/0001-initial.ts';
import { bareDatabase, connectTo, newDatabase } from './empty-database.ts';
import { storesOn } from './links-under-test.ts';

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

/** Rows in every table of the schema as of 0005, as an installation of then has them. */
const ROWS_OF_0005 = `
  INSERT INTO accounts (id, email, admin, password_hash, creations_per_hour, created_at, suspended_at, suspension_reason) VALUES
    ('00000000-0000-4000-8000-000000000001', 'ada@example.org', true, 'a hash', NULL, '2026-01-02T03:04:05.678Z', NULL, NULL),
    ('00000000-0000-4000-8000-000000000002', 'bob@example.org', false, NULL, 5, '2026-01-03', '2026-02-01', 'spam');
  INSERT INTO sign_in_links VALUES ('00000000-0000-4000-8000-000000000002', 'token', '2026-01-04', NULL);
  INSERT INTO sessions VALUES ('session', '00000000-0000-4000-8000-000000000001', false, '2026-01-04', '2036-01-18');
  INSERT INTO sign_in_attempts VALUES ('subject', 3, '2026-01-04');
  INSERT INTO first_run (token_hash) VALUES ('first');
  INSERT INTO api_keys (id, account_id, name, scopes, key_hash, hint, created_at, last_used_at, expires_at) VALUES
    ('00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-000000000001', 'laptop', '{read,write}', 'key', 'wp_abc', '2026-01-04', '2026-01-05', '2036-01-01');
  INSERT INTO links (slug, owner_id, destination_url, status, threat_type, tags, created_at, updated_at, revoked_at, scanned_at, scan_generation, version, take_down_reason) VALUES
    ('menu', '00000000-0000-4000-8000-000000000001', 'https://example.com/menu', 'active', NULL, '{a,"b c"}', '2026-01-05T00:00:00.123Z', '2026-01-05', NULL, '2026-01-05', 'g1', 1, NULL),
    ('gone', '00000000-0000-4000-8000-000000000001', 'https://example.com/gone', 'revoked', NULL, '{}', '2026-01-05', '2026-01-06', '2026-01-06', '2026-01-05', 'g1', 2, NULL),
    ('evil', '00000000-0000-4000-8000-000000000002', 'https://evil.example/', 'flagged', 'phishing', '{}', '2026-01-05', '2026-01-07', NULL, '2026-01-05', 'g2', 2, 'by hand');
  INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at)
    SELECT id, 'g2', 'flagged', 'phishing', '[{"rule":"feed:x","evidence":"evil.example/"}]', '2026-01-07' FROM links WHERE slug = 'evil';
  INSERT INTO link_reviews (link_id, decision, reason, cleared, at)
    SELECT id, 'keep', 'still bad', '["feed:x evil.example/"]', '2026-01-08' FROM links WHERE slug = 'evil';
  INSERT INTO creation_quota VALUES ('00000000-0000-4000-8000-000000000001', '2026-01-05', 2);
  INSERT INTO idempotency_keys VALUES ('00000000-0000-4000-8000-000000000001', 'links', 'k', 'h', gen_random_uuid(), now(), '{"a":1}', now());
  INSERT INTO outbox (topic, key, value) VALUES ('links', 'menu', '{}');
  INSERT INTO scanner_links (slug, destination_url, keys) VALUES ('menu', 'https://example.com/menu', '{7}');
  INSERT INTO scanner_keys SELECT 7, id FROM scanner_links;
  INSERT INTO audit_log (actor_id, via, credential, action, subject, account_id, outcome, detail) VALUES
    (NULL, 'operator', NULL, 'key.created', '00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-000000000001', 'done', 'laptop');
  INSERT INTO cases (number, kind, slug, category, message, account_id) VALUES
    ('n1', 'report', 'evil', 'phishing', 'looks bad', NULL), ('n2', 'review', 'evil', NULL, 'is fine', '00000000-0000-4000-8000-000000000002');
`;

test('an installation of the schema as of 0005 keeps every row, and works on', async () => {
  const address = await bareDatabase();
  await migrate(address, MIGRATION_NAMES.slice(0, 5));
  const old = await openDatabase({ ...address, migrations: [] });
  await old.query(ROWS_OF_0005);
  const tables: { name: string }[] = await old.query(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'",
  );
  const rowsOf = (db: typeof old) =>
    Promise.all(
      tables.map(async ({ name }) => [name, await db.query(`SELECT * FROM ${name} ORDER BY 1::text`)] as const),
    );
  const before = await rowsOf(old);
  for (const [name, rows] of before) expect([name, rows.length > 0]).toEqual([name, true]);
  await old.destroy();

  const now = await connectTo(address);
  for (const [i, [name, rows]] of (await rowsOf(now)).entries())
    expect([name, rows]).toEqual([name, before[i]![1].map((row: object) => expect.objectContaining(row))]);

  const { audit, cases, deletions, keys, links } = storesOn(now);
  expect(await keys.authenticate(Buffer.from('key'))).toMatchObject({ scopes: ['read', 'write'] });
  const ada = '00000000-0000-4000-8000-000000000001';
  const listed = { page: 1, limit: 10, sort: 'slug', order: 'asc' } as const;
  for (const [filter, slugs] of [
    [{ tags: [] }, ['gone', 'menu']],
    [{ tags: ['b c'] }, ['menu']],
    [{ tags: ['a', 'b c'], status: 'active' }, ['menu']],
    [{ tags: [], search: 'COM/GO' }, ['gone']],
  ] as const) {
    const { links: found, total } = await links.list(ada, { ...listed, ...filter });
    expect([filter, total, found.map(({ slug }) => slug)]).toEqual([filter, slugs.length, slugs]);
  }
  expect(await links.facets(ada)).toMatchObject({ statuses: { active: 1, flagged: 0, revoked: 1 } });
  expect(await now.query('SELECT sum(links)::int AS packed FROM link_texts')).toEqual([{ packed: 3 }]);
  expect(await links.find('menu')).toMatchObject({ tags: ['a', 'b c'], status: 'active', version: 1 });
  expect(await links.verdicts('evil')).toMatchObject([
    { outcome: 'kept', source: 'review' },
    { outcome: 'flagged', threat_type: 'phishing', source: 'scan' },
  ]);
  expect(await cases.find('n2')).toMatchObject({ message: 'is fine' });
  await expect(now.query("UPDATE audit_log SET detail = ''")).rejects.toThrow('append-only');
  const by = { accountId: null, via: 'operator', credential: null } as const;
  await deletions.delete({ email: 'ada@example.org' }, by, new Date());
  expect(await audit.list({ limit: 5, action: 'key.created' })).toMatchObject([{ detail: '', account: null }]);
});

test('creations of the version before 0017 work on after it, and a filter finds the tags of before and after', async () => {
  const address = await bareDatabase();
  await migrate(address, MIGRATION_NAMES.slice(0, MIGRATION_NAMES.indexOf('CheaperCreations1700000000017')));
  const before = await openDatabase({ ...address, migrations: [] });
  await before.query(ROWS_OF_0005.slice(0, ROWS_OF_0005.indexOf('INSERT INTO sign_in_links')));
  const ada = '00000000-0000-4000-8000-000000000001';
  const asBefore = (slug: string, tags: readonly string[]) =>
    before.query(
      `SELECT create_links(
         owner => $1, made_at => now(), scan_generation => 'g', slugs => ARRAY[$2], urls => '{https://example.com/}', statuses => '{active}',
         threat_types => '{NULL}', tags => ARRAY[$3], events => '{e}', verdicts => '[]', event_topic => 'links', trace => NULL,
         default_limit => 9, window_length => '1 hour', clock_skew => '1 minute', keep_endpoint => NULL, keep_key => NULL,
         keep_holder => NULL, keep_answer => NULL)`,
      [ada, slug, JSON.stringify(tags)],
    );
  await asBefore('early', ['a', 'b "c"', '[d]']);
  const now = await connectTo(address);
  await asBefore('late', ['b "c"', 'a']);
  await asBefore('bare', []);
  await before.destroy();

  const { list } = storesOn(now).links;
  for (const [tags, slugs] of [
    [['a'], ['early', 'late']],
    [
      ['a', 'b "c"'],
      ['early', 'late'],
    ],
    [['[d]'], ['early']],
    [[], ['bare', 'early', 'late']],
  ] as const) {
    const { links, total } = await list(ada, { page: 1, limit: 10, sort: 'slug', order: 'asc', tags });
    expect([tags, total, links.map(({ slug }) => slug)]).toEqual([tags, slugs.length, slugs]);
  }
});

test('the create_links of the version before can be called until the end, and then there is the newest alone', async () => {
  const address = { ...(await bareDatabase()), poolSize: 1 };
  const upTo = (number: string) =>
    MIGRATION_NAMES.slice(0, MIGRATION_NAMES.findIndex((name) => name.endsWith(number)) + 1);
  await migrate(address, upTo('0013'));
  const db = await connectTo({ ...address, migrate: false, migrations: [] });
  await db.query('CREATE FUNCTION create_links(n integer) RETURNS integer LANGUAGE sql AS $$ SELECT n $$');
  const functions = () =>
    db.query(
      "SELECT proname AS name, pronargs > 1 AS newest FROM pg_proc WHERE proname LIKE 'create_links%' ORDER BY proname",
    );
  for (const number of ['0014', '0015', '0016']) {
    await migrate(address, upTo(number));
    expect(await functions()).toEqual([
      { name: 'create_links', newest: true },
      { name: 'create_links_before', newest: false },
    ]);
  }
  await migrate(address);
  expect(await functions()).toEqual([{ name: 'create_links', newest: true }]);
});
