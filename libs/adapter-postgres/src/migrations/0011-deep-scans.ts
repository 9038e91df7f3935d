import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Links wait for a deep scan, and visitors may see the preview page first (decision 0033). */
export class DeepScans1700000000011 implements MigrationInterface {
  readonly name = 'DeepScans1700000000011';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE links
        ADD COLUMN deep_scan text CHECK (deep_scan IN ('queued', 'done')),
        ADD COLUMN preview_first boolean NOT NULL DEFAULT false;
      -- The scanner's queue.
      CREATE TABLE deep_scans (
        slug            text COLLATE "C" PRIMARY KEY,
        destination_url text NOT NULL,
        -- of the destination: one request at a time goes there
        site            text NOT NULL,
        attempts        integer NOT NULL DEFAULT 0,
        due_at          timestamptz(3) NOT NULL
      );
      CREATE INDEX deep_scans_due ON deep_scans (due_at);
    `);
  }

  async down(): Promise<void> {
    throw new Error('not undone: which links wait for a deep scan would be lost');
  }
}
