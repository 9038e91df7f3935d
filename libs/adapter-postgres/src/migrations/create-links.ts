import fs from 'node:fs';
import type { QueryRunner } from 'typeorm';

const NEWEST = new URL('./0017-create-links.sql', import.meta.url);

/**
 * Makes the newest create_links. One with other parameters stays until 0017 under another name: a call of the version
 * before, which runs meanwhile, would fail if what it has found were gone.
 */
export async function makeCreateLinks(db: QueryRunner): Promise<void> {
  await db.query(`
    DO $$
    BEGIN
      IF to_regproc('create_links') IS NOT NULL AND to_regproc('create_links_before') IS NULL THEN
        ALTER FUNCTION create_links RENAME TO create_links_before;
      END IF;
    END $$
  `);
  await db.query(fs.readFileSync(NEWEST, 'utf8'));
}
