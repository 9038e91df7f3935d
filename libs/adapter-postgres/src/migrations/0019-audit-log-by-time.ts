import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log is read by time. Its ids follow the order of insertion, its times the starts of transactions. */
export class AuditLogByTime1700000000019 implements MigrationInterface {
  readonly name = 'AuditLogByTime1700000000019';

  async up(db: QueryRunner): Promise<void> {
    await db.query('CREATE INDEX audit_log_by_time ON audit_log (at, id)');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP INDEX audit_log_by_time');
  }
}
