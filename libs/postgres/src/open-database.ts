import { checked, type DatabaseOptions, openPooled, openSession } from './connect.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { hasMigrations } from './schema.ts';

/** Migrates the schema if asked to, and connects. If several processes migrate, one does it and the others wait. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { migrate: schemas, expect, mayBePooled } = options;
  if (schemas !== undefined) await migrate(options, schemas);
  const db = await (mayBePooled ? openPooled(options) : openSession(options));
  return checked(db, async () => {
    if (expect !== undefined && !(await hasMigrations(db.pool, [expect])))
      throw new Error('the schema is missing or of another version. Run `waypost admin prepare`');
  });
}
