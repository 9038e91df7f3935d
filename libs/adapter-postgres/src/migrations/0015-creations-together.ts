import fs from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const CREATE_LINKS = new URL('./0017-create-links.sql', import.meta.url);

/** Several creations of an account in one transaction (decision 0041). */
export class CreationsTogether1700000000015 implements MigrationInterface {
  readonly name = 'CreationsTogether1700000000015';

  async up(db: QueryRunner): Promise<void> {
    await db.query('DROP FUNCTION create_links');
    await db.query(fs.readFileSync(CREATE_LINKS, 'utf8'));
  }

  async down(): Promise<void> {
    throw new Error('not undone: creations that arrive together would fail');
  }
}
