import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Clicks that another service counted, by day (decision 0029). */
export class Imports1700000000008 implements MigrationInterface {
  readonly name = 'Imports1700000000008';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE imported_clicks (
        slug     text COLLATE "C" PRIMARY KEY,
        -- { "2026-11-01": 5, ... }
        days     jsonb NOT NULL,
        last_day date NOT NULL
      )
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE imported_clicks');
  }
}
