import { pipeline } from 'node:stream/promises';
import type { ArchivedTable, TableArchive } from '@waypost/ports';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { asAdministrator, type DatabaseOptions } from './connect.ts';
import { migrate } from './migrate.ts';
import type { ServiceSchema } from './schema.ts';

const name = pg.escapeIdentifier;
const list = (names: readonly string[]) => names.map(name).join(', ');

/**
 * Saves every table except those that a schema leaves out, also tables of later migrations. Uses its own connections
 * without a time limit for statements. The user must own the schema.
 */
export function postgresArchive(options: DatabaseOptions, schemas: readonly ServiceSchema[]): TableArchive {
  // A restore creates the list of migrations itself.
  const unsaved = ['migrations', ...schemas.flatMap((schema) => schema.unsaved ?? [])];
  const seeded = ['migrations', ...schemas.flatMap((schema) => schema.seeded ?? [])];
  const refilled = schemas.flatMap((schema) => schema.refilled ?? []);
  const emptyAtFirst = async (db: pg.Client) => (await tablesOf(db)).filter(({ name }) => !seeded.includes(name));
  const connected = <T>(work: (db: pg.Client) => Promise<T>) => asAdministrator(options, options.database, work);
  const clear = () =>
    connected(async (db) => {
      const tables = (await emptyAtFirst(db)).map((table) => table.name);
      // Some triggers refuse to change rows, so they are off during the change.
      const triggers = (change: string) => tables.map((table) => `ALTER TABLE ${name(table)} ${change} TRIGGER USER;`);
      await db.query(
        `BEGIN; ${triggers('DISABLE').join('')} TRUNCATE ${list(tables)}; ${triggers('ENABLE').join('')} COMMIT`,
      );
    });

  return {
    save: (write) =>
      connected(async (db) => {
        for (const schema of schemas) await schema.saving?.(db);
        // All tables are read as they were at the first statement, however long the backup takes.
        await db.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
        const tables = (await tablesOf(db)).filter((table) => !unsaved.includes(table.name));
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
        await expectLoadable(db, await emptyAtFirst(db), migrations);
        await db.query('ROLLBACK');
      }),

    load: async ({ migrations, sequences }, tables) => {
      // The schema gets the version of the backup first, so that the rows fit.
      await migrate(options, schemas, migrations);
      await connected(async (db) => {
        await db.query('BEGIN');
        await expectLoadable(db, await emptyAtFirst(db), migrations);
        const loadRows = async () => {
          const constraints = await dropForeignKeys(db);
          for (const table of tables) {
            if ([...seeded, ...refilled].includes(table.name)) await db.query(`TRUNCATE ${name(table.name)}`);
            const rows = db.query(copyFrom(`COPY ${name(table.name)} (${list(table.columns)}) FROM STDIN`));
            await pipeline(table.lines(), rows);
          }
          for (const add of constraints) await db.query(add);
          for (const [sequence, value] of Object.entries(sequences))
            await db.query('SELECT setval($1::regclass, $2)', [name(sequence), value]);
        };
        const load = schemas.reduce(
          (inner, { restoring }) => (restoring === undefined ? inner : () => restoring(db, inner)),
          loadRows,
        );
        await load();
        await db.query('ANALYZE');
        await db.query('COMMIT');
      });
      await migrate(options, schemas).catch(async (error) => {
        await clear().catch(() => undefined);
        throw error;
      });
    },

    clear,
  };

  /** Throws if the database cannot take the backup. Locks the tables until the end of the transaction. */
  async function expectLoadable(db: pg.Client, tables: readonly ArchivedTable[], migrations: readonly string[]) {
    if (tables.length === 0) return;
    await db.query(`LOCK TABLE ${list(tables.map((table) => table.name))}`);
    for (const table of tables.filter((each) => !refilled.includes(each.name))) {
      const { rowCount } = await db.query(`SELECT FROM ${name(table.name)} LIMIT 1`);
      if (rowCount !== 0)
        throw new Error(
          `the database is not empty: ${table.name} has rows. To replace it, first save its deletions and revocations ` +
            '(admin export-revoked FILE), empty it, then restore with --revoke FILE',
        );
    }
    const migrated = await db.query<{ name: string }>('SELECT name FROM migrations');
    const newer = migrated.rows.find((row) => !migrations.includes(row.name));
    if (newer !== undefined)
      throw new Error(
        `the database has ${newer.name}, which the backup lacks. Restore into a database without tables.`,
      );
  }
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
