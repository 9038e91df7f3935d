import { pipeline } from 'node:stream/promises';
import type { ArchivedTable, LinkArchive } from '@waypost/ports';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { asAdministrator, type DatabaseOptions, migrate } from './database.ts';
import { copyRevoked, revise } from './revoked.ts';

/** A migration inserts a row into these tables, which belongs to the new database alone. */
const MADE_ANEW = ['first_run', 'installation', 'migrations'];
/**
 * A backup has every table except these, also tables of later migrations. Sessions and sign-in links would give access
 * to anyone who gets the backup. A restore creates the list of migrations itself.
 */
const LEFT_OUT = [...MADE_ANEW, 'sessions', 'sign_in_attempts', 'sign_in_links', 'used_challenges'];
/** A migration has inserted a row into each of these tables. */
const SEEDED = [...MADE_ANEW, 'cache_generation'];
/** A scanner fills these tables when it starts. A restore replaces the rows. */
const OF_SCANNERS = ['scanner_files', 'scanner_state'];

const name = pg.escapeIdentifier;
const list = (names: readonly string[]) => names.map(name).join(', ');

/** Uses its own connections without a time limit for statements. The user must own the schema. */
export function postgresArchive(options: DatabaseOptions): LinkArchive {
  const connected = <T>(work: (db: pg.Client) => Promise<T>) => asAdministrator(options, options.database, work);
  const clear = () =>
    connected(async (db) => {
      const tables = (await tablesOf(db)).map((table) => table.name).filter((table) => !SEEDED.includes(table));
      // Some triggers refuse to change rows, so they are off during the change.
      const triggers = (change: string) => tables.map((table) => `ALTER TABLE ${name(table)} ${change} TRIGGER USER;`);
      await db.query(
        `BEGIN; ${triggers('DISABLE').join('')} TRUNCATE ${list(tables)}; ${triggers('ENABLE').join('')} COMMIT`,
      );
    });

  return {
    save: (write) =>
      connected(async (db) => {
        await note(db, 'backup.made');
        // All tables are read as they were at the first statement, however long the backup takes.
        await db.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const tables = await savedTables(db);
        const migrations = await db.query<{ name: string }>('SELECT name FROM migrations ORDER BY timestamp');
        const sequences = await db.query<{ name: string; value: string }>(
          `SELECT sequencename AS name, last_value::text AS value FROM pg_sequences
           WHERE schemaname = 'public' AND last_value IS NOT NULL`,
        );
        for (const table of tables)
          await write(table, db.query(copyTo(`COPY ${name(table.name)} (${list(table.columns)}) TO STDOUT`)));
        await db.query('COMMIT');
        return {
          migrations: migrations.rows.map((row) => row.name),
          sequences: Object.fromEntries(sequences.rows.map((row) => [row.name, row.value])),
        };
      }),

    expectLoadable: ({ migrations }) =>
      connected(async (db) => {
        await db.query('BEGIN');
        await expectLoadable(db, migrations);
        await db.query('ROLLBACK');
      }),

    load: async ({ migrations, sequences }, tables) => {
      // The schema gets the version of the backup first, so that the rows fit.
      await migrate(options, migrations);
      await connected(async (db) => {
        await db.query('BEGIN');
        await expectLoadable(db, migrations);
        const constraints = await dropForeignKeys(db);
        let published = 0;
        for (const table of tables) {
          if (table.name === 'scanner_state') published = await publishedVersion(db);
          if ([...SEEDED, ...OF_SCANNERS].includes(table.name)) await db.query(`TRUNCATE ${name(table.name)}`);
          const rows = db.query(copyFrom(`COPY ${name(table.name)} (${list(table.columns)}) FROM STDIN`));
          await pipeline(table.lines(), rows);
        }
        for (const add of constraints) await db.query(add);
        for (const [sequence, value] of Object.entries(sequences))
          await db.query('SELECT setval($1::regclass, $2)', [name(sequence), value]);
        // The new generation has never been used, because caches may have links that changed after the backup.
        await db.query(
          'UPDATE cache_generation SET generation = greatest(generation + 1, extract(epoch FROM now())::bigint)',
        );
        // Running scanners have loaded an older version, so the version number must be higher than theirs.
        if (published > 0) await db.query('UPDATE scanner_state SET version = version + $1', [published]);
        await note(db, 'backup.restored');
        await db.query('ANALYZE');
        await db.query('COMMIT');
      });
      await migrate(options).catch(async (error) => {
        await clear().catch(() => undefined);
        throw error;
      });
    },

    clear,

    saveRevoked: (write) => connected((db) => copyRevoked(db, write)),
    revise: (revision) =>
      connected(async (db) => {
        await db.query('BEGIN');
        const revised = await revise(db, revision);
        await db.query('COMMIT');
        return revised;
      }),
  };
}

/** The audit log says who has had everybody's data in hand. */
async function note(db: pg.Client, action: 'backup.made' | 'backup.restored'): Promise<void> {
  const entry = `INSERT INTO audit_log (via, action, subject, outcome, detail) VALUES ('operator', $1, '', 'done', '')`;
  await db.query(entry, [action]);
}

async function savedTables(db: pg.Client): Promise<ArchivedTable[]> {
  return (await tablesOf(db)).filter((table) => !LEFT_OUT.includes(table.name));
}

async function tablesOf(db: pg.Client): Promise<ArchivedTable[]> {
  const { rows } = await db.query<ArchivedTable>(
    `SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
       AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     GROUP BY relname ORDER BY relname`,
  );
  return rows;
}

async function publishedVersion(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ version: string }>('SELECT version FROM scanner_state');
  return Number(rows[0]?.version ?? 0);
}

/** Throws if the database cannot take the backup. Locks the tables until the end of the transaction. */
async function expectLoadable(db: pg.Client, migrations: readonly string[]): Promise<void> {
  const tables = (await tablesOf(db)).filter((table) => !SEEDED.includes(table.name));
  if (tables.length === 0) return;
  await db.query(`LOCK TABLE ${list(tables.map((table) => table.name))}`);
  for (const table of tables.filter((each) => !OF_SCANNERS.includes(each.name))) {
    const { rowCount } = await db.query(`SELECT FROM ${name(table.name)} LIMIT 1`);
    if (rowCount !== 0)
      throw new Error(
        `the database is not empty: ${table.name} has rows. If the backup replaces it, save what it knows first ` +
          '(admin export-revoked FILE), empty it, and restore with --revoke FILE',
      );
  }
  const migrated = await db.query<{ name: string }>('SELECT name FROM migrations');
  const newer = migrated.rows.find((row) => !migrations.includes(row.name));
  if (newer !== undefined)
    throw new Error(`the database has ${newer.name}, the backup has not: restore into a database without tables`);
}

/**
 * Without foreign keys the tables can be filled in any order. Returns the statements that restore the keys and check
 * all rows.
 */
async function dropForeignKeys(db: pg.Client): Promise<string[]> {
  const { rows } = await db.query<{ table: string; name: string; definition: string }>(
    `SELECT conrelid::regclass::text AS table, quote_ident(conname) AS name, pg_get_constraintdef(oid) AS definition
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
  );
  for (const key of rows) await db.query(`ALTER TABLE ${key.table} DROP CONSTRAINT ${key.name}`);
  return rows.map((key) => `ALTER TABLE ${key.table} ADD CONSTRAINT ${key.name} ${key.definition}`);
}
