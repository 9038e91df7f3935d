import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the flagged and the revoked links of an account (decision 0032). New links are active: they do not pay for it. */
export class LinksNotActive1700000000010 implements MigrationInterface {
  readonly name = 'LinksNotActive1700000000010';

  async up(db: QueryRunner): Promise<void> {
    await db.query("CREATE INDEX links_not_active ON links (owner_id, status) WHERE status <> 'active'");
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX links_not_active');
  }
}
