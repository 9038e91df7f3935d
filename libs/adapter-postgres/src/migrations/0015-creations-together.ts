import type { MigrationInterface, QueryRunner } from 'typeorm';
import { makeCreateLinks } from './create-links.ts';

/** Several creations of an account in one transaction (decision 0041). */
export class CreationsTogether1700000000015 implements MigrationInterface {
  readonly name = 'CreationsTogether1700000000015';

  async up(db: QueryRunner): Promise<void> {
    await makeCreateLinks(db);
  }

  async down(): Promise<void> {
    throw new Error('not undone: creations that arrive together would fail');
  }
}
