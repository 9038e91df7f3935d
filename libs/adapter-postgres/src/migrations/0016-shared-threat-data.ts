import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The threat data that all scanners follow (decision 0043). */
export class SharedThreatData1700000000016 implements MigrationInterface {
  readonly name = 'SharedThreatData1700000000016';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE scanner_state (
        one     boolean PRIMARY KEY DEFAULT true CHECK (one),
        version bigint NOT NULL,
        state   text NOT NULL
      );

      CREATE TABLE scanner_files (
        digest  text COLLATE "C" NOT NULL,
        part    integer NOT NULL,
        content bytea NOT NULL,
        PRIMARY KEY (digest, part)
      );
      -- hashes do not compress
      ALTER TABLE scanner_files ALTER COLUMN content SET STORAGE EXTERNAL;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE scanner_state, scanner_files');
  }
}
