import { DomainError } from '@waypost/domain';
import { inTransaction, rows } from '@waypost/postgres';
import type { DataSource, EntityManager } from 'typeorm';
import { lockAccount } from '../accounts/index.ts';
import { storeNotes } from '../audit/index.ts';
import { type DisabledReason, WEBHOOK_LIMITS, type Webhook, type WebhookDelivery } from './webhook.ts';
import type { Webhooks } from './webhooks.port.ts';

type WebhookRow = Omit<Webhook, 'disabled'> & {
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: Date | null;
};

const WEBHOOK = `id, account_id AS "accountId", scope, url, events, created_at AS "createdAt", key_id AS "keyId",
  failing_since AS "failingSince", disabled_reason AS "disabledReason", disabled_at AS "disabledAt"`;

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
    create: ({ accountId, scope = 'account', url, events, keyId, secret, at }, notes) =>
      inTransaction(db, async (tx) => {
        await lockAccount(tx, accountId);
        const [row] = await rows<WebhookRow>(
          tx,
          `INSERT INTO webhooks (account_id, url, events, key_id, secret, created_at, enabled_since, clicks_since,
             clicks_after_at, clicks_after_id, clicks_due_at, scope)
           SELECT $1, $2, $3, $4, $5, $6::timestamptz, $6, $6, ${placeAt('$6')}, '${NO_ID}', $6, $8
           WHERE (SELECT count(*) FROM webhooks WHERE account_id = $1) < $7
           RETURNING ${WEBHOOK}`,
          [accountId, url, events, keyId, secret, at, WEBHOOK_LIMITS.perAccount, scope],
        );
        if (row === undefined)
          throw new DomainError('too_many_webhooks', `Delete one of your ${WEBHOOK_LIMITS.perAccount} webhooks first.`);
        const created = webhookOf(row);
        await storeNotes(tx, notes(created));
        return created;
      }),
    change: (accountId, id, { url, events, enabled, keyId, secret, at }, notes) =>
      inTransaction(db, async (tx) => {
        const [before] = await rows<Pick<Webhook, 'url'>>(
          tx,
          'SELECT url FROM webhooks WHERE account_id = $1 AND id = $2 FOR UPDATE',
          [accountId, id],
        );
        if (before === undefined) return undefined;
        const newSecret = new URL(before.url).host !== new URL(url).host;
        // Clicks begin anew if the webhook is switched on or begins to get them.
        const begins = `$5 AND (disabled_at IS NOT NULL OR 'link.clicked' <> ALL(events))`;
        const [row] = await rows<WebhookRow>(
          tx,
          `UPDATE webhooks SET url = $3, events = $4,
             key_id = CASE WHEN url <> $3 THEN $7 ELSE key_id END,
             secret = CASE WHEN $8 THEN $9 ELSE secret END,
             old_secret = CASE WHEN $8 THEN NULL ELSE old_secret END,
             old_secret_until = CASE WHEN $8 THEN NULL ELSE old_secret_until END,
             disabled_reason = CASE WHEN $5 THEN NULL ELSE coalesce(disabled_reason, 'owner') END,
             disabled_at = CASE WHEN $5 THEN NULL ELSE coalesce(disabled_at, $6) END,
             failing_since = CASE WHEN url <> $3 OR $5 AND disabled_at IS NOT NULL THEN NULL ELSE failing_since END,
             enabled_since = CASE WHEN $5 AND disabled_at IS NOT NULL THEN $6 ELSE enabled_since END,
             ${clicksFrom('$6', begins)}
           WHERE id = $2 AND account_id = $1 RETURNING ${WEBHOOK}`,
          [accountId, id, url, events, enabled, at, keyId, newSecret, secret],
        );
        const changed = webhookOf(row!);
        await storeNotes(tx, notes(changed));
        return { ...changed, newSecret };
      }),
    delete: (accountId, id, notes) =>
      inTransaction(db, async (tx) => {
        const sql = `DELETE FROM webhooks WHERE account_id = $1 AND id = $2 RETURNING ${WEBHOOK}`;
        const [row] = await rows<WebhookRow>(tx, sql, [accountId, id]);
        if (row !== undefined) await storeNotes(tx, notes(webhookOf(row)));
        return row !== undefined;
      }),
    rotate: (accountId, id, { secret, oldUntil }, notes) =>
      inTransaction(db, async (tx) => {
        const [row] = await rows<WebhookRow>(
          tx,
          `UPDATE webhooks SET old_secret = secret, old_secret_until = $4, secret = $3
           WHERE account_id = $1 AND id = $2 RETURNING ${WEBHOOK}`,
          [accountId, id, secret, oldUntil],
        );
        if (row === undefined) return undefined;
        const rotated = webhookOf(row);
        await storeNotes(tx, notes(rotated));
        return rotated;
      }),
  };
}

const NO_ID = '00000000-0000-0000-0000-000000000000';
/** The clock of the click store may be this much behind. Earlier visits are left out by their own time. */
const CLOCKS_DIFFER_SECONDS = 60;
const placeAt = (at: string) => `extract(epoch FROM ${at}::timestamptz)::bigint - ${CLOCKS_DIFFER_SECONDS}`;

/** Assigns the columns of a webhook, so that it gets no click from before `at`. Its place never goes back. */
const clicksFrom = (at: string, condition = 'true'): string => `
  clicks_since = CASE WHEN ${condition} THEN ${at} ELSE clicks_since END,
  clicks_due_at = CASE WHEN ${condition} THEN ${at} ELSE clicks_due_at END,
  clicks_after_at = CASE WHEN ${condition} THEN greatest(clicks_after_at, ${placeAt(at)}) ELSE clicks_after_at END,
  clicks_after_id =
    CASE WHEN ${condition} AND clicks_after_at < ${placeAt(at)} THEN '${NO_ID}' ELSE clicks_after_id END`;

/** Webhooks of an account that was suspended get no click from before. */
export async function resumeClicks(tx: EntityManager, accountId: string): Promise<void> {
  await rows(tx, `UPDATE webhooks SET ${clicksFrom('now()')} WHERE account_id = $1`, [accountId]);
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
