import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, MigrationExecutor } from 'typeorm';
import { type DatabaseOptions, LIMITS, openSession, poolConfig } from './connect.ts';
import { grant, migrationsOf, type ServiceSchema } from './schema.ts';

const LOCK = 0x7761_7970; // "wayp"
const LOOK_EVERY_MS = 100;

/**
 * Has its own connection without limits of statements, because an index on a full table takes long. `only` names some
 * migrations: it creates the schema of an earlier version, without grants.
 */
export async function migrate(
  options: DatabaseOptions,
  schemas: readonly ServiceSchema[],
  only?: readonly string[],
): Promise<void> {
  const { idle_in_transaction_session_timeout } = LIMITS;
  await (await openSession({ ...options, poolSize: 1 })).close(); // rejects at a pooler
  const db = new DataSource({
    type: 'postgres',
    migrations: migrationsOf(schemas, only),
    installExtensions: false,
    poolErrorHandler: () => undefined, // the migration that runs fails
    extra: poolConfig({ ...options, poolSize: 1 }, { idle_in_transaction_session_timeout }),
  });
  await db.initialize();
  try {
    const runner = db.createQueryRunner();
    // Each migration commits separately, so the lock belongs to the session. We poll for it, because an index built
    // concurrently waits for every running statement, even one that waits for this lock.
    for (;;) {
      const [lock] = await runner.query('SELECT pg_try_advisory_lock($1) AS mine', [LOCK]);
      if (lock.mine) break;
      await pause(LOOK_EVERY_MS);
    }
    const executor = new MigrationExecutor(db, runner);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
    if (only === undefined) await grant(runner, schemas);
    await runner.release();
  } finally {
    await db.destroy();
  }
}
