import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { asAdministrator, type DatabaseOptions, openSession } from './connect.ts';
import { grant, missingMigrations, type ServiceSchema } from './schema.ts';

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
    if ((await missingMigrations(session, schemas)).length > 0) {
      // Only new migrations need TypeORM, which takes 7 MB and a fifth of a second.
      const { runMigrations } = await import('./run-migrations.ts');
      await runMigrations(options, schemas, only);
    }
    if (only === undefined) await grant(session, schemas);
  });
}

/**
 * Each migration commits separately, so the lock belongs to the session. We poll for it, because an index built
 * concurrently waits for every running statement, even one that waits for this lock.
 */
async function lock(session: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await session.query('SELECT pg_try_advisory_lock($1) AS mine', [LOCK]);
    if (rows[0].mine) return;
    await pause(LOOK_EVERY_MS);
  }
}
