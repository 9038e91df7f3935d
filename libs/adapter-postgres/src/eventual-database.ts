import { type Eventual, eventual, type Stack } from '@waypost/resilience';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { DataSource } from 'typeorm';
import { databaseAddress } from './address.ts';
import { openDatabase, pingDatabase } from './database.ts';

export interface EventualDatabase extends Eventual<DataSource> {
  /** For `/readyz`. Rejects while the database does not answer. */
  readonly check: () => Promise<{ readonly ok: true }>;
}

/** PostgreSQL, opened once it and its schema are available, and closed with the stack. Migrates only on request. */
export function eventualDatabase({
  url,
  poolSize,
  migrate = false,
  logger,
  stack,
}: {
  readonly url: string;
  readonly poolSize: number;
  readonly migrate?: boolean;
  readonly logger: Logger;
  readonly stack: Stack;
}): EventualDatabase {
  const database = eventual(
    'database',
    () =>
      openDatabase({
        ...databaseAddress(url),
        poolSize,
        migrate,
        onIdleError: (error) => logger.error('database connection lost', errorFields(error)),
      }),
    (db) => db.destroy(),
    logger,
  );
  stack.push(() => database.stop());
  return { ...database, check: async () => pingDatabase(database.now()).then(() => ({ ok: true })) };
}
