import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An event keeps the trace of the request that made it, until it is published (decision 0010). */
export class Traces1700000000002 implements MigrationInterface {
  readonly name = 'Traces1700000000002';

  async up(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE outbox ADD COLUMN traceparent text');
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('ALTER TABLE outbox DROP COLUMN traceparent');
  }
}
