import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts sign in by passkey, and by an identity at a provider (decision 0027). */
export class PasskeysAndIdentities1700000000007 implements MigrationInterface {
  readonly name = 'PasskeysAndIdentities1700000000007';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE passkeys (
        id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id    uuid NOT NULL REFERENCES accounts,
        name          text NOT NULL,
        credential_id text NOT NULL UNIQUE,
        public_key    bytea NOT NULL,
        counter       bigint NOT NULL,
        created_at    timestamptz(3) NOT NULL DEFAULT now(),
        last_used_at  timestamptz(3)
      );
      CREATE INDEX passkeys_of_account ON passkeys (account_id);

      CREATE TABLE passkey_challenges (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        hash       bytea NOT NULL UNIQUE,
        account_id uuid REFERENCES accounts,
        expires_at timestamptz(3) NOT NULL
      );
      CREATE INDEX passkey_challenges_expire ON passkey_challenges (expires_at);

      CREATE TABLE identities (
        issuer     text NOT NULL,
        subject    text NOT NULL,
        account_id uuid NOT NULL REFERENCES accounts,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (issuer, subject),
        UNIQUE (account_id, issuer)
      );
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE identities, passkey_challenges, passkeys');
  }
}
