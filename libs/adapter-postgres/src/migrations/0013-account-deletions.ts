import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts whose links are still to be erased, and what their owners wrote in the audit log (decision 0037). */
export class AccountDeletions1700000000013 implements MigrationInterface {
  readonly name = 'AccountDeletions1700000000013';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE account_deletions (
        account_id uuid PRIMARY KEY,
        deleted_at timestamptz(3) NOT NULL,
        next_at    timestamptz(3) NOT NULL,
        -- those it had, whose messages are still to be erased
        webhooks   uuid[] NOT NULL
      );
      CREATE INDEX cases_of_account ON cases (account_id) WHERE account_id IS NOT NULL;

      -- The log stays append-only, but for what names a person whose account is gone: how they called their keys and
      -- passkeys, and the address in what an administrator asked for and did not get.
      CREATE FUNCTION refuse_change_of_row() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF OLD.action ~ '^(key|passkey)[.]' AND NOT EXISTS (SELECT FROM accounts WHERE id = OLD.account_id) THEN
          OLD.detail := '';
        END IF;
        IF strpos(OLD.subject, '@') > 0 AND NOT EXISTS (SELECT FROM accounts WHERE email = OLD.subject) THEN
          OLD.detail := '';
          OLD.subject := NEW.subject;
        END IF;
        IF NEW IS DISTINCT FROM OLD THEN
          RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
        END IF;
        RETURN NEW;
      END
      $$;
      DROP TRIGGER append_only ON audit_log;
      CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
      CREATE TRIGGER append_only_rows BEFORE UPDATE ON audit_log
        FOR EACH ROW EXECUTE FUNCTION refuse_change_of_row();
      -- With the rights of the owner of the schema: nobody else may update the log.
      CREATE FUNCTION forget_person(account uuid, address text) RETURNS void LANGUAGE sql SECURITY DEFINER
      SET search_path = public, pg_temp AS $$
        UPDATE audit_log SET detail = ''
        WHERE account_id = account AND action IN ('key.created', 'key.deleted', 'passkey.created', 'passkey.deleted');
        UPDATE audit_log SET detail = '', subject = account::text WHERE subject = address;
      $$;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      DROP FUNCTION forget_person;
      DROP TRIGGER append_only_rows ON audit_log;
      DROP TRIGGER append_only ON audit_log;
      DROP FUNCTION refuse_change_of_row;
      CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
      DROP INDEX cases_of_account;
      DROP TABLE account_deletions;
    `);
  }
}
