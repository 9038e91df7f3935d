import { DataSource, MigrationExecutor } from 'typeorm';
import { type DatabaseOptions, LIMITS, poolConfig } from './connect.ts';
import { migrationsOf, type ServiceSchema } from './schema.ts';

/** Commits each migration separately. The caller has the lock. `only` names some of them. */
export async function runMigrations(
  options: DatabaseOptions,
  schemas: readonly ServiceSchema[],
  only?: readonly string[],
): Promise<void> {
  const { idle_in_transaction_session_timeout } = LIMITS;
  const db = new DataSource({
    type: 'postgres',
    migrations: migrationsOf(schemas, only),
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
