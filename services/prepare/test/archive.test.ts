import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import type { ArchivedSchema, ArchivedTable } from '@waypost/ports';
import type { DatabaseOptions } from '@waypost/postgres';
import { bareDatabase, connectTo, newDatabase } from '@waypost/test-support/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { MIGRATION_NAMES, postgresLinkArchive as postgresArchive, SCHEMAS } from '../src/adapters.ts';

type Saved = ArchivedTable & { readonly rows: string; readonly lines: () => Readable };

async function saved(options: DatabaseOptions): Promise<{ schema: ArchivedSchema; tables: Saved[] }> {
  const tables: Saved[] = [];
  const schema = await postgresArchive(options).save(async (table, lines) => {
    const rows = await text(lines);
    tables.push({ ...table, rows, lines: () => Readable.from([Buffer.from(rows)]) });
  });
  return { schema, tables };
}

const rowsOf = (tables: readonly Saved[]) => Object.fromEntries(tables.map(({ name, rows }) => [name, rows]));

const someRows = `
  INSERT INTO accounts (id, email, admin)
    VALUES ('00000000-0000-4000-8000-000000000001', E'a\\tb\\\\c\\n@example.org', false);
  INSERT INTO api_keys (account_id, name, scopes, key_hash, hint)
    SELECT id, 'ü', '{read}', '\\x00ff', 'w' FROM accounts;
  INSERT INTO links (slug, owner_id, destination_url, status, tags,
    created_at, updated_at, scanned_at, scan_generation, version)
    SELECT 's' || i, id, 'https://example.com/', 'active', '{"a,b","",null}', now(), now(), now(), 'g1', 1
    FROM accounts, generate_series(1, 3) AS i;
  INSERT INTO link_reviews (link_id, decision, cleared, at) SELECT id, 'clear', '[]', now() FROM links;`;

test('a backup has each table except those that it omits on purpose', async () => {
  const address = await newDatabase();
  const db = await connectTo(address);
  const { tables, schema } = await saved(address);
  const all = await db.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name COLLATE "C"`,
  );
  const isSaved = new Set(tables.map(({ name }) => name));
  expect(all.map(({ name }) => name).filter((name) => !isSaved.has(name))).toEqual([
    'first_run',
    'installation',
    'migrations',
    'sessions',
    'sign_in_attempts',
    'sign_in_links',
    'used_challenges',
  ]);
  expect(schema.migrations).toEqual(MIGRATION_NAMES);
});

test('rows are restored unchanged, with their sequences and constraints', async () => {
  const [from, to] = [await newDatabase(), await newDatabase()];
  const source = await connectTo(from);
  await source.query(someRows);
  await source.query('DELETE FROM links WHERE slug = $1 AND id NOT IN (SELECT link_id FROM link_reviews)', ['s3']);
  const { schema, tables } = await saved(from);
  expect(rowsOf(tables).links?.split('\n')).toHaveLength(4);

  await postgresArchive(to).load(schema, tables);
  const { cache_generation: generation, audit_log: notes, ...restored } = rowsOf((await saved(to)).tables);
  const { cache_generation: earlier, audit_log: noted, ...before } = rowsOf(tables);
  expect(restored).toEqual(before);
  expect(notes!.startsWith(noted!)).toBe(true);
  expect(notes!.match(/backup\.\w+/g)).toEqual(['backup.made', 'backup.restored', 'backup.made']);
  // A shared cache may have entries that are newer than the backup.
  expect(Number(generation?.split('\t')[1])).toBeGreaterThan(Number(earlier?.split('\t')[1]));

  const target = await connectTo(to);
  const [next] = await target.query<{ id: string }>(
    `INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, scanned_at, scan_generation, version)
     VALUES ('s4', gen_random_uuid(), '', 'active', '{}', now(), now(), now(), 'g1', 1) RETURNING id`,
  );
  expect(next?.id).toBe('4');
  await expect(
    target.query(`INSERT INTO link_reviews (link_id, decision, cleared, at) VALUES (99, 'clear', '[]', now())`),
  ).rejects.toThrow(/foreign key/);
});

test('rows of running scanners are replaced and get a version that no scanner has loaded', async () => {
  const [from, to] = [await newDatabase(), await newDatabase()];
  const publish = (version: number, state: string) => `
    INSERT INTO scanner_state (version, state) VALUES (${version}, '${state}');
    INSERT INTO scanner_files (name, content) VALUES ('${state}', '')`;
  await (await connectTo(from)).query(publish(3, 'saved'));
  const { schema, tables } = await saved(from);
  const target = await connectTo(to);
  await target.query(publish(5, 'shipped'));

  await postgresArchive(to).load(schema, tables);
  expect(await target.query('SELECT version::integer, state FROM scanner_state')).toEqual([
    { version: 8, state: 'saved' },
  ]);
  expect(await target.query('SELECT name FROM scanner_files')).toEqual([{ name: 'saved' }]);
});

test('all tables are saved as of one moment, even while others write', async () => {
  const address = await newDatabase();
  const db = await connectTo(address);
  await db.query(someRows);
  const rows: Record<string, string> = {};
  await postgresArchive(address).save(async ({ name }, lines) => {
    await db.query('INSERT INTO outbox (key, value) VALUES ($1, $1)', [name]);
    rows[name] = await text(lines);
  });
  expect(rows.outbox).toBe('');
  expect(await db.query('SELECT count(*)::int AS n FROM outbox')).toEqual([{ n: Object.keys(rows).length }]);
});

/** The schema has only one version yet, so the test adds a second one. */
class Second1800000000000 implements MigrationInterface {
  readonly name = 'Second1800000000000';
  async up(db: QueryRunner): Promise<void> {
    await db.query("ALTER TABLE accounts ADD note text NOT NULL DEFAULT 'of the first version'");
  }
  async down(): Promise<void> {}
}

test('a backup with an earlier schema is migrated to the current one', async () => {
  const schemas = [...SCHEMAS, { migrations: [Second1800000000000] }];
  const [from, to] = [await newDatabase(), await bareDatabase()];
  await (await connectTo(from)).query(someRows);
  const { schema, tables } = await saved(from);

  const newer = await newDatabase();
  await connectTo({ ...newer, migrate: schemas });
  const archive = postgresArchive(newer, schemas);
  for (const refused of [() => archive.load(schema, tables), () => archive.expectLoadable(schema)])
    await expect(refused()).rejects.toThrow(
      'the database has Second1800000000000, which the backup lacks. Restore into a database without tables',
    );
  await postgresArchive(to, schemas).expectLoadable(schema);
  await postgresArchive(to, schemas).load(schema, tables);
  const db = await connectTo(to);
  expect(await db.query('SELECT DISTINCT note FROM accounts')).toEqual([{ note: 'of the first version' }]);
});

test('a restore refuses a database with rows, and a failed restore changes nothing', async () => {
  const [from, to] = [await newDatabase(), await newDatabase()];
  await (await connectTo(from)).query(someRows);
  const { schema, tables } = await saved(from);
  const full = postgresArchive(from);
  for (const refused of [() => full.load(schema, tables), () => full.expectLoadable(schema)])
    await expect(refused()).rejects.toThrow('the database is not empty: accounts has rows');
  await postgresArchive(to).expectLoadable(schema);

  const orphaned = tables.map((table) =>
    table.name === 'accounts'
      ? { ...table, lines: () => Readable.from([Buffer.alloc(0)], { objectMode: false }) }
      : table,
  );
  await expect(postgresArchive(to).load(schema, orphaned)).rejects.toThrow(/foreign key/);
  await postgresArchive(to).load(schema, tables);
  await postgresArchive(to).clear();
  await postgresArchive(to).load(schema, tables);
  expect(rowsOf((await saved(to)).tables).links).toBe(rowsOf(tables).links);
});
