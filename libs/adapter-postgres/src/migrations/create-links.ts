import fs from 'node:fs';
import type { QueryRunner } from 'typeorm';

const NEWEST = new URL('./0017-create-links.sql', import.meta.url);

/**
 * Makes the newest create_links, in place of one with the same parameters. One with fewer stays under another name until
 * 0017: a call of the version before, which runs meanwhile, would fail if what it has found were gone.
 */
export async function makeCreateLinks(db: QueryRunner): Promise<void> {
  await db.query(fs.readFileSync(NEWEST, 'utf8'));
  await db.query(`
    DO $$
    DECLARE
      before regprocedure;
    BEGIN
      SELECT oid INTO before FROM pg_proc WHERE proname = 'create_links' AND pronamespace = current_schema()::regnamespace
      ORDER BY pronargs DESC OFFSET 1;
      IF before IS NOT NULL THEN EXECUTE format('ALTER FUNCTION %s RENAME TO create_links_before', before); END IF;
    END $$
  `);
}
