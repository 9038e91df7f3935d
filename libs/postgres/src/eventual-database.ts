import { eventual } from '@waypost/resilience';
import { errorFields, type Logger } from '@waypost/telemetry';
import { databaseAddress } from './address.ts';
import type { DatabaseOptions } from './connect.ts';
import { databaseClock, pingDatabase } from './database.ts';
import { openDatabase } from './open-database.ts';

/** Opens PostgreSQL as soon as it and its schema are available, and closes it with the stack. */
export function eventualDatabase({
  url,
  poolSize,
  migrate,
  expect,
  mayBePooled = false,
  logger,
  stack,
}: Pick<DatabaseOptions, 'poolSize' | 'migrate' | 'expect' | 'mayBePooled'> & {
  readonly url: string;
  readonly logger: Logger;
  readonly stack: AsyncDisposableStack;
}) {
  const database = eventual(
    'database',
    async () => {
      const address = databaseAddress(url);
      const db = await openDatabase({
        ...address,
        poolSize,
        migrate,
        expect,
        mayBePooled,
        onIdleError: (error) => logger.error('a database connection was lost', errorFields(error)),
      });
      const { withoutEffect } = address;
      if (withoutEffect.length > 0)
        logger.warn('DATABASE_URL has parameters without effect', { parameters: withoutEffect.join(', ') });
      return db;
    },
    logger,
    (db) => db.close(),
  );
  stack.defer(() => database.stop());
  return {
    ...database,
    /** The check for `/readyz`. Rejects while the database does not answer. */
    check: async () => pingDatabase(database.now()).then(() => ({ ok: true })),
    /** Resolves to the time of the database's clock, in Unix milliseconds. Rejects while it does not answer. */
    clock: async () => databaseClock(database.now()),
  };
}
