import fs from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { makeCreateLinks } from './create-links.ts';

const LINK_LISTS = new URL('./0014-link-lists.sql', import.meta.url);

/** Each sort has an index with the status in it, so that a deep page reads the index alone. */
const INDEXES = {
  links_by_created: 'links (owner_id, created_at, slug) INCLUDE (status)',
  links_by_updated: 'links (owner_id, updated_at, slug) INCLUDE (status)',
  links_by_destination: 'links (owner_id, destination_url, slug) INCLUDE (status)',
  links_by_status: 'links (owner_id, status, slug)',
  links_by_tag: "links USING gin (tags_of_account(owner_id, tags)) WHERE tags <> '{}'",
};

/**
 * Lists of accounts with a million links (decision 0040). Not in one transaction: of a full table, only the counting
 * keeps writers waiting (0014-link-lists.sql). A million links take some ten seconds for the indexes, which are built
 * beside the running service, and as much for the texts. What was interrupted is done again.
 */
export class LinkLists1700000000014 implements MigrationInterface {
  readonly name = 'LinkLists1700000000014';
  readonly transaction = false;

  async up(db: QueryRunner): Promise<void> {
    const [{ done }] = (await db.query("SELECT to_regclass('link_counts') IS NOT NULL AS done")) as [{ done: boolean }];
    if (!done) {
      await db.startTransaction();
      try {
        await db.query(fs.readFileSync(LINK_LISTS, 'utf8'));
        await makeCreateLinks(db);
        await db.commitTransaction();
      } catch (error) {
        await db.rollbackTransaction();
        throw error;
      }
    }
    for (const [name, on] of Object.entries(INDEXES)) {
      // Made by a run that was cut off later, or half made by it.
      const [{ isMade }] = (await db.query(
        'SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND indisvalid) AS "isMade"',
        [name],
      )) as [{ isMade: boolean }];
      if (isMade) continue;
      await db.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await db.query(`CREATE INDEX CONCURRENTLY ${name} ON ${on}`);
    }
    await db.query('DROP INDEX CONCURRENTLY IF EXISTS links_of_owner');
    await db.query('DROP INDEX CONCURRENTLY IF EXISTS links_not_active');

    // Those that 0014-link-lists.sql counted as packed. What creations packed since has greater ids.
    const accounts = (await db.query(
      `SELECT account_id AS id, coalesce((SELECT min(i) - 1 FROM link_texts t, unnest(ids) AS i WHERE t.account_id = c.account_id), packed_to) AS last
       FROM link_counts c
       WHERE active + flagged + revoked - unpacked
         > (SELECT coalesce(sum(links), 0) FROM link_texts t WHERE t.account_id = c.account_id)`,
    )) as { id: string; last: string }[];
    for (const { id, last } of accounts) await db.query("SELECT pack_links($1, 0, $2, '-infinity')", [id, last]);
  }

  async down(): Promise<void> {
    throw new Error('not undone: lists of many links would fail');
  }
}
