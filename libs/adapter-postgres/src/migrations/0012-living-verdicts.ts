import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Flagged links stay filed, so that a flag can go with its source; links that wait for another look (decision 0034). */
export class LivingVerdicts1700000000012 implements MigrationInterface {
  readonly name = 'LivingVerdicts1700000000012';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      -- Links that are flagged already are not filed: only a review clears them.
      ALTER TABLE scanner_links ADD COLUMN flagged boolean NOT NULL DEFAULT false;

      CREATE TABLE scanner_looks (
        slug   text COLLATE "C" PRIMARY KEY,
        due_at timestamptz(3) NOT NULL,
        tries  integer NOT NULL DEFAULT 0
      );
      CREATE INDEX scanner_looks_due ON scanner_looks (due_at);

      -- Hosts of destinations that visitors were sent to within a day.
      CREATE TABLE scanner_hosts (
        host      text COLLATE "C" PRIMARY KEY,
        looked_at timestamptz(3) NOT NULL
      );
      CREATE INDEX scanner_hosts_looked ON scanner_hosts (looked_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE scanner_looks, scanner_hosts;
      DELETE FROM scanner_keys k USING scanner_links l WHERE l.id = k.link_id AND l.flagged;
      DELETE FROM scanner_links WHERE flagged;
      ALTER TABLE scanner_links DROP COLUMN flagged;
    `);
  }
}
