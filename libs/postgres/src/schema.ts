import fs from 'node:fs';
import type pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlState } from './database.ts';

export type Migration = new () => MigrationInterface;

/** What a service has in the database: its own tables, the rights on them, and how a backup treats them. */
export interface ServiceSchema {
  readonly migrations: readonly Migration[];
  /** The rights of each role. A role that does not exist gets nothing. */
  readonly rights?: Readonly<Record<string, readonly Right[]>>;
  /** A backup omits these tables. */
  readonly unsaved?: readonly string[];
  /** A migration inserts a row into these tables. If a backup has the table, a restore replaces the row. */
  readonly seeded?: readonly string[];
  /** The service fills these tables when it starts. A restore replaces the rows. */
  readonly refilled?: readonly string[];
  /** Runs before a backup reads the tables. */
  readonly saving?: (db: pg.Client) => Promise<void>;
  /** Runs in the transaction of a restore. `load` resolves when all rows are there. */
  readonly restoring?: (db: pg.Client, load: () => Promise<void>) => Promise<void>;
}

/** What stands between GRANT and TO, or the right to change every column of a table `except` some. */
export type Right = string | { readonly update: string; readonly except: readonly string[] };

/** `name` ends with the time of the migration in milliseconds. It orders the migrations of all services. */
export function sqlMigration(name: string, file: URL): Migration {
  return class implements MigrationInterface {
    readonly name = name;

    async up(db: QueryRunner): Promise<void> {
      await db.query(fs.readFileSync(file, 'utf8'));
    }

    async down(): Promise<void> {
      throw new Error(`${name} is not undone: it would delete data`);
    }
  };
}

const migrationName = (migration: Migration): string => new migration().name ?? '';
const timeOf = (name: string) => Number(name.slice(-13));

/** Oldest first. */
export function migrationNames(schemas: readonly ServiceSchema[]): readonly string[] {
  return schemas
    .flatMap(({ migrations }) => migrations.map(migrationName))
    .sort((one, other) => timeOf(one) - timeOf(other));
}

export async function hasMigrations(db: Pick<pg.Client, 'query'>, schemas: readonly ServiceSchema[]): Promise<boolean> {
  const names = migrationNames(schemas);
  try {
    const { rowCount } = await db.query('SELECT FROM migrations WHERE name = ANY($1)', [names]);
    return rowCount === names.length;
  } catch (error) {
    const state = sqlState(error);
    if (state === '42P01' || state === '42501') return false; // no table, or no right to read it
    throw error;
  }
}

/** `only` names some of them. */
export function migrationsOf(schemas: readonly ServiceSchema[], only?: readonly string[]): Migration[] {
  return schemas
    .flatMap(({ migrations }) => migrations)
    .filter((migration) => only?.includes(migrationName(migration)) ?? true);
}

/** Revokes all rights first, because an older version may have granted more. */
export async function grant(db: pg.Client, schemas: readonly ServiceSchema[]): Promise<void> {
  const rights = schemas.flatMap((schema) => Object.entries(schema.rights ?? {}));
  const { rows: existing } = await db.query<{ role: string }>(
    'SELECT rolname AS role FROM pg_roles WHERE rolname = ANY($1)',
    [rights.map(([role]) => role)],
  );
  if (existing.length === 0) return;
  await db.query('BEGIN');
  // By default PostgreSQL lets every user run a new function.
  await db.query('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC');
  for (const { role } of existing) {
    for (const kind of ['TABLES', 'SEQUENCES', 'FUNCTIONS'])
      await db.query(`REVOKE ALL ON ALL ${kind} IN SCHEMA public FROM ${role}`);
    await db.query(`GRANT SELECT ON migrations TO ${role}`);
  }
  for (const [role, list] of rights)
    if (existing.some((each) => each.role === role))
      for (const right of list) await db.query(`GRANT ${await textOf(db, right)} TO ${role}`);
  await db.query('COMMIT');
}

async function textOf(db: pg.Client, right: Right): Promise<string> {
  if (typeof right === 'string') return right;
  const { rows } = await db.query(
    `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attname <> ALL($2)`,
    [right.update, right.except],
  );
  return `UPDATE (${rows[0].names}) ON ${right.update}`;
}
