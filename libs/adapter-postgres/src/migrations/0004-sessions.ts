import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts sign in to the dashboard (decision 0024). */
export class Sessions1700000000004 implements MigrationInterface {
  readonly name = 'Sessions1700000000004';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE sessions (
        token_hash bytea PRIMARY KEY,
        account_id uuid NOT NULL REFERENCES accounts,
        by_link    boolean NOT NULL,
        started_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL
      );
      CREATE INDEX sessions_of_account ON sessions (account_id);

      CREATE TABLE sign_in_attempts (
        subject     bytea PRIMARY KEY,
        attempts    integer NOT NULL,
        window_ends timestamptz(3) NOT NULL
      );

      CREATE TABLE first_run (
        only_one   boolean PRIMARY KEY DEFAULT true CHECK (only_one),
        token_hash bytea NOT NULL
      );

      ALTER TABLE api_keys ADD last_used_at timestamptz(3);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE api_keys DROP last_used_at;
      DROP TABLE first_run, sign_in_attempts, sessions;
    `);
  }
}
