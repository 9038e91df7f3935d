import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Suspended accounts, keys that expire, links that are taken down, cases, and the audit log (decision 0026). */
export class Administration1700000000005 implements MigrationInterface {
  readonly name = 'Administration1700000000005';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      ALTER TABLE accounts ADD suspended_at timestamptz(3), ADD suspension_reason text;
      ALTER TABLE api_keys ADD expires_at timestamptz(3);
      ALTER TABLE links ADD take_down_reason text;

      -- Holds ids, not e-mail addresses. Its rows stay as they are, also for the owner of the table.
      CREATE TABLE audit_log (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        at         timestamptz(3) NOT NULL DEFAULT now(),
        actor_id   uuid,
        via        text NOT NULL,
        credential text,
        action     text COLLATE "C" NOT NULL,
        subject    text COLLATE "C" NOT NULL,
        -- that the subject is, or belongs to
        account_id uuid,
        outcome    text NOT NULL CHECK (outcome IN ('done', 'refused')),
        detail     text NOT NULL
      );
      CREATE INDEX audit_log_of_actor ON audit_log (actor_id, id);
      CREATE INDEX audit_log_of_action ON audit_log (action, id);
      CREATE INDEX audit_log_of_subject ON audit_log (subject, id);
      CREATE INDEX audit_log_of_account ON audit_log (account_id, id);

      -- Reports about links and requests to review a flag.
      CREATE TABLE cases (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        number     text COLLATE "C" NOT NULL UNIQUE,
        kind       text COLLATE "C" NOT NULL CHECK (kind IN ('report', 'review')),
        slug       text COLLATE "C" NOT NULL,
        category   text,
        message    text NOT NULL,
        -- the owner who asked; null: a visitor
        account_id uuid REFERENCES accounts,
        state      text COLLATE "C" NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'upheld', 'dismissed')),
        reason     text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        decided_at timestamptz(3)
      );
      CREATE INDEX cases_of_link ON cases (slug, id);
      CREATE INDEX cases_by_state ON cases (state, id);

      CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
      END
      $$;
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP TABLE cases, audit_log;
      DROP FUNCTION refuse_change;
      ALTER TABLE links DROP take_down_reason;
      ALTER TABLE api_keys DROP expires_at;
      ALTER TABLE accounts DROP suspended_at, DROP suspension_reason;
    `);
  }
}
