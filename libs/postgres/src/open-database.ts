import { checked, type DatabaseOptions, openPooled, openSession } from './connect.ts';
import { type Database, sqlState } from './database.ts';
import { migrationNames } from './schema.ts';

/** Migrates the schema if asked to, and connects. If several processes migrate, one does it and the others wait. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { migrate: schemas, expect, mayBePooled } = options;
  if (schemas !== undefined) {
    // Only migrations need TypeORM. A redirector without it has 29 MiB less.
    const { migrate } = await import('./migrate.ts');
    await migrate(options, schemas);
  }
  const db = await (mayBePooled ? openPooled(options) : openSession(options));
  return expect === undefined ? db : checked(db, () => expectSchema(db, migrationNames([expect])));
}

async function expectSchema(db: Database, names: readonly string[]): Promise<void> {
  const applied = await db
    .query('SELECT name FROM migrations WHERE name = ANY($1)', [names])
    .catch((error: unknown) => {
      if (sqlState(error) === '42P01' || sqlState(error) === '42501') return []; // no table, or no right to read it
      throw error;
    });
  if (applied.length < names.length)
    throw new Error('the schema is missing or of another version. Run `waypost admin prepare`');
}
