import fs from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const SQL = new URL('./0003-create-links.sql', import.meta.url);

export class CreateLinks1700000000003 implements MigrationInterface {
  readonly name = 'CreateLinks1700000000003';

  async up(db: QueryRunner): Promise<void> {
    await db.query(fs.readFileSync(SQL, 'utf8'));
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION create_links');
  }
}
