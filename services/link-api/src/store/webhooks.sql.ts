import { DomainError } from '@waypost/domain';
import { inTransaction, rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import { type DisabledReason, WEBHOOK_LIMITS, type Webhook, type WebhookDelivery } from '../webhooks/webhook.ts';
import type { Webhooks } from '../webhooks/webhooks.port.ts';
import { lockAccount } from './account-rows.sql.ts';

type WebhookRow = Omit<Webhook, 'disabled'> & {
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: Date | null;
};

const WEBHOOK = `id, account_id AS "accountId", url, events, created_at AS "createdAt", failing_since AS "failingSince",
  disabled_reason AS "disabledReason", disabled_at AS "disabledAt"`;

function webhookOf({ disabledReason: reason, disabledAt: at, ...webhook }: WebhookRow): Webhook {
  return { ...webhook, disabled: reason === null || at === null ? null : { reason, at } };
}

const DELIVERY = `id, type, state, created_at AS "createdAt", attempts, last_attempt_at AS "lastAttemptAt",
  next_attempt_at AS "nextAttemptAt", last_status AS "lastStatus", last_error AS "lastError",
  last_answer AS "lastAnswer"`;

export function postgresWebhooks(db: DataSource): Webhooks {
  const query = async (sql: string, parameters: unknown[]): Promise<Webhook | undefined> => {
    const [row] = await rows<WebhookRow>(db, sql, parameters);
    return row && webhookOf(row);
  };
  return {
    ...deliveries(db),
    list: async (accountId) => {
      const webhooks = await rows<WebhookRow>(
        db,
        `SELECT ${WEBHOOK} FROM webhooks WHERE account_id = $1 ORDER BY created_at, id`,
        [accountId],
      );
      return webhooks.map(webhookOf);
    },
    find: (accountId, id) =>
      query(`SELECT ${WEBHOOK} FROM webhooks WHERE account_id = $1 AND id = $2`, [accountId, id]),
    create: ({ accountId, url, events, secret, at }) =>
      inTransaction(db, async (tx) => {
        await lockAccount(tx, accountId);
        const [row] = await rows<WebhookRow>(
          tx,
          `INSERT INTO webhooks (account_id, url, events, secret, created_at, enabled_since, clicks_since, clicks_due_at)
           SELECT $1, $2, $3, $4, $5, $5, $5, $5 WHERE (SELECT count(*) FROM webhooks WHERE account_id = $1) < $6
           RETURNING ${WEBHOOK}`,
          [accountId, url, events, secret, at, WEBHOOK_LIMITS.perAccount],
        );
        if (row !== undefined) return webhookOf(row);
        throw new DomainError('too_many_webhooks', `Delete one of your ${WEBHOOK_LIMITS.perAccount} webhooks first.`);
      }),
    change: (accountId, id, { url, events, enabled, at }) =>
      query(
        `UPDATE webhooks SET url = $3, events = $4,
           disabled_reason = CASE WHEN $5 THEN NULL ELSE coalesce(disabled_reason, 'owner') END,
           disabled_at = CASE WHEN $5 THEN NULL ELSE coalesce(disabled_at, $6) END,
           failing_since = CASE WHEN url <> $3 OR $5 AND disabled_at IS NOT NULL THEN NULL ELSE failing_since END,
           enabled_since = CASE WHEN $5 AND disabled_at IS NOT NULL THEN $6 ELSE enabled_since END,
           clicks_since = CASE WHEN $5 AND (disabled_at IS NOT NULL OR 'link.clicked' <> ALL(events)) THEN $6
                          ELSE clicks_since END
         WHERE account_id = $1 AND id = $2 RETURNING ${WEBHOOK}`,
        [accountId, id, url, events, enabled, at],
      ),
    delete: async (accountId, id) => {
      const deleted = await rows(db, 'DELETE FROM webhooks WHERE account_id = $1 AND id = $2 RETURNING id', [
        accountId,
        id,
      ]);
      return deleted.length > 0;
    },
    rotate: (accountId, id, secret, oldUntil) =>
      query(
        `UPDATE webhooks SET old_secret = secret, old_secret_until = $4, secret = $3
         WHERE account_id = $1 AND id = $2 RETURNING ${WEBHOOK}`,
        [accountId, id, secret, oldUntil],
      ),
  };
}

function deliveries(db: DataSource): Pick<Webhooks, 'deliveries' | 'delivery' | 'queue' | 'replay'> {
  const delivery = async (sql: string, parameters: unknown[]): Promise<WebhookDelivery | undefined> => {
    const [row] = await rows<WebhookDelivery>(db, sql, parameters);
    return row;
  };
  return {
    deliveries: (webhookId, { state, before, limit }) =>
      rows<WebhookDelivery>(
        db,
        `SELECT ${DELIVERY} FROM webhook_deliveries
         WHERE webhook_id = $1 AND ($2::text IS NULL OR state = $2)
           AND ($3::text IS NULL OR (created_at, id) <
                (SELECT created_at, id FROM webhook_deliveries WHERE webhook_id = $1 AND id = $3::uuid))
         ORDER BY created_at DESC, id DESC LIMIT $4`,
        [webhookId, state ?? null, before ?? null, limit],
      ),
    delivery: (webhookId, id) =>
      delivery(`SELECT ${DELIVERY} FROM webhook_deliveries WHERE webhook_id = $1 AND id = $2`, [webhookId, id]),
    queue: async (webhookId, { type, body, at }) => {
      const queued = await delivery(
        `INSERT INTO webhook_deliveries (webhook_id, type, body, created_at, began_at, next_attempt_at)
         VALUES ($1, $2, $3, $4, $4, $4) RETURNING ${DELIVERY}`,
        [webhookId, type, body, at],
      );
      return queued!;
    },
    replay: (webhookId, id, at) =>
      delivery(
        `UPDATE webhook_deliveries SET state = 'pending', began_at = $3, next_attempt_at = $3, attempts = 0, expires_at = NULL
         WHERE webhook_id = $1 AND id = $2 AND state <> 'pending' RETURNING ${DELIVERY}`,
        [webhookId, id, at],
      ),
  };
}
