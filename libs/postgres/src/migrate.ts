import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { asAdministrator, type DatabaseOptions, LIMITS, openSession, poolConfig } from './connect.ts';
import { grant, hasMigrations, type Migration, migrationsOf, type ServiceSchema } from './schema.ts';

const LOCK = 0x7761_7970; // "wayp"
const LOOK_EVERY_MS = 100;

/**
 * Has its own connections without limits of statements, because an index on a full table takes long. `only` names some
 * migrations: it creates the schema of an earlier version, without grants.
 */
export async function migrate(
  options: DatabaseOptions,
  schemas: readonly ServiceSchema[],
  only?: readonly string[],
): Promise<void> {
  await (await openSession({ ...options, poolSize: 1 })).close(); // rejects at a pooler
  await asAdministrator(options, options.database, async (session) => {
    await lock(session);
    if (!(await hasMigrations(session, schemas))) await run(options, migrationsOf(schemas, only));
    if (only === undefined) await grant(session, schemas);
  });
}

/**
 * Each migration commits separately, so the lock belongs to the session. We poll for it, because an index built
 * concurrently waits for every running statement, even one that waits for this lock.
 */
async function lock(session: pg.Client): Promise<void> {
  await session.query('SET idle_session_timeout = 0'); // it is idle while a migration runs
  for (;;) {
    const { rows } = await session.query('SELECT pg_try_advisory_lock($1) AS mine', [LOCK]);
    if (rows[0].mine) return;
    await pause(LOOK_EVERY_MS);
  }
}

async function run(options: DatabaseOptions, migrations: Migration[]): Promise<void> {
  // Most starts have nothing to migrate. TypeORM takes 7 MB and a fifth of a second.
  const { DataSource, MigrationExecutor } = await import('typeorm');
  const { idle_in_transaction_session_timeout } = LIMITS;
  const db = new DataSource({
    type: 'postgres',
    migrations,
    installExtensions: false,
    poolErrorHandler: () => undefined, // the migration that runs fails
    extra: poolConfig({ ...options, poolSize: 1 }, { idle_in_transaction_session_timeout }),
  });
  await db.initialize();
  try {
    const executor = new MigrationExecutor(db);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
  } finally {
    await db.destroy();
  }
}
