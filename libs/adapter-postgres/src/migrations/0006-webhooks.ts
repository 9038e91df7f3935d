import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages to receivers of an account's choice (decision 0025). */
export class Webhooks1700000000006 implements MigrationInterface {
  readonly name = 'Webhooks1700000000006';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE webhooks (
        id               uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id       uuid NOT NULL REFERENCES accounts,
        url              text NOT NULL,
        events           text[] NOT NULL,
        -- not hashed, since it signs
        secret           text NOT NULL,
        old_secret       text,
        old_secret_until timestamptz(3),
        created_at       timestamptz(3) NOT NULL,
        -- the creation, or when it was last switched on; earlier events are not for it
        enabled_since    timestamptz(3) NOT NULL,
        -- from then on it wants clicks
        clicks_since     timestamptz(3) NOT NULL,
        -- when the next message of clicks may be made, unless it is full before
        clicks_due_at    timestamptz(3) NOT NULL,
        failing_since    timestamptz(3),
        disabled_reason  text CHECK (disabled_reason IN ('owner', 'gone', 'failing', 'backlog')),
        disabled_at      timestamptz(3),
        CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
      );
      CREATE INDEX webhooks_of_account ON webhooks (account_id);

      -- Without foreign keys: a webhook is deleted at once, and its rows go with the clean-up.
      CREATE TABLE webhook_clicks (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        webhook_id uuid NOT NULL,
        count      integer NOT NULL,
        -- JSON objects, separated by commas
        clicks     text NOT NULL
      );
      CREATE INDEX webhook_clicks_of_webhook ON webhook_clicks (webhook_id, id);

      CREATE TABLE webhook_deliveries (
        id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        webhook_id      uuid NOT NULL,
        type            text NOT NULL,
        -- of the event on the bus, which may come twice
        event_id        text COLLATE "C",
        body            text NOT NULL,
        state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
        created_at      timestamptz(3) NOT NULL,
        -- the creation or the last replay
        began_at        timestamptz(3) NOT NULL,
        attempts        integer NOT NULL DEFAULT 0,
        -- of a pending one; during an attempt, when the process that makes it must have died
        next_attempt_at timestamptz(3),
        last_attempt_at timestamptz(3),
        last_status     integer,
        last_error      text,
        last_answer     text,
        expires_at      timestamptz(3),
        CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
        CHECK ((state = 'pending') = (expires_at IS NULL))
      ) WITH (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0.02);
      CREATE UNIQUE INDEX webhook_deliveries_event ON webhook_deliveries (webhook_id, event_id);
      CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook_id, created_at, id);
      CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at) WHERE state = 'pending';
      CREATE INDEX webhook_deliveries_expiry ON webhook_deliveries (expires_at) WHERE expires_at IS NOT NULL;
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('DROP TABLE webhook_deliveries, webhook_clicks, webhooks');
  }
}
