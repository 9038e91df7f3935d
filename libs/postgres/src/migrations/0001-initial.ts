import fs from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const SCHEMA = new URL('./0001-initial.sql', import.meta.url);

export class Initial1700000000001 implements MigrationInterface {
  readonly name = 'Initial1700000000001';

  async up(db: QueryRunner): Promise<void> {
    await db.query(fs.readFileSync(SCHEMA, 'utf8'));
  }

  async down(): Promise<void> {
    throw new Error('the first migration is not undone: it would delete every link');
  }
}
