/** The tables of link-api, and what other services may read of them. */
import { type Client, type ServiceSchema, sqlMigration } from '@waypost/postgres';
import { RIGHTS } from './grants.ts';

export { postgresCacheGeneration } from './cache-generation.sql.ts';
export { postgresLinkReader, standbyLinkReader } from './link-reader.sql.ts';
export { copyRevoked, revise } from './revoked.sql.ts';

export const LINK_API_SCHEMA: ServiceSchema = {
  migrations: [sqlMigration('LinkApiInitial1700000000001', new URL('./0001-initial.sql', import.meta.url))],
  rights: RIGHTS,
  // The rows of the first two belong to one database alone. The others would give access to anyone who gets the backup.
  unsaved: ['first_run', 'installation', 'sessions', 'sign_in_attempts', 'sign_in_links', 'used_challenges'],
  seeded: ['first_run', 'installation', 'cache_generation'],
  saving: (db) => note(db, 'backup.made'),
  restoring: async (db, load) => {
    await load();
    // The new generation has never been used, because caches may have links that changed after the backup.
    await db.query(
      'UPDATE cache_generation SET generation = greatest(generation + 1, extract(epoch FROM now())::bigint)',
    );
    await note(db, 'backup.restored');
  },
};

/** The audit log says who has had everybody's data in hand. */
async function note(db: Client, action: 'backup.made' | 'backup.restored'): Promise<void> {
  const entry = `INSERT INTO audit_log (via, action, subject, outcome, detail) VALUES ('operator', $1, '', 'done', '')`;
  await db.query(entry, [action]);
}
