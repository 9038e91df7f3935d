import fs from 'node:fs';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const SEARCH_TEXTS = new URL('./0018-search-texts.sql', import.meta.url);

/** Searches that read a tenth, and creations that pack nothing (decision 0047). No row is rewritten here. */
export class SearchTexts1700000000018 implements MigrationInterface {
  readonly name = 'SearchTexts1700000000018';

  async up(db: QueryRunner): Promise<void> {
    await db.query(fs.readFileSync(SEARCH_TEXTS, 'utf8'));
  }

  async down(): Promise<void> {
    throw new Error('not undone: what was created since would not be packed');
  }
}
