import {
  clicksFrom,
  type DisabledReason,
  DomainError,
  newWebhook,
  WEBHOOK_LIMITS,
  type Webhook,
  type WebhookDelivery,
  type WebhookRecord,
} from '@waypost/domain';
import { type Database, inTransaction, rows, type Transaction } from '@waypost/postgres';
import { lockAccount } from '../accounts/index.ts';
import { storeNotes } from '../audit/index.ts';
import { rowOf } from '../platform/columns.ts';
import type { Webhooks, WebhookUpdate } from './webhooks.port.ts';

type Row<W extends Webhook> = Omit<W, 'disabled'> & {
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: Date | null;
};

const WEBHOOK = `id, account_id AS "accountId", scope, url, events, created_at AS "createdAt", key_id AS "keyId",
  failing_since AS "failingSince", disabled_reason AS "disabledReason", disabled_at AS "disabledAt"`;

/** A place is Unix seconds, which a number holds exactly. */
export const WEBHOOK_RECORD = `${WEBHOOK}, secret, old_secret AS "oldSecret", old_secret_until AS "oldSecretUntil",
  enabled_since AS "enabledSince", clicks_since AS "clicksSince", clicks_after_at::float8 AS "clicksAfterAt",
  clicks_after_id AS "clicksAfterId", clicks_due_at AS "clicksDueAt"`;
export type WebhookRecordRow = Row<WebhookRecord>;

export function webhookOf<W extends Webhook>({ disabledReason: reason, disabledAt: at, ...webhook }: Row<W>): W {
  return { ...webhook, disabled: reason === null || at === null ? null : { reason, at } } as unknown as W;
}

const CHANGEABLE = `url, events, key_id, secret, old_secret, old_secret_until, enabled_since, failing_since,
  disabled_reason, disabled_at, clicks_since, clicks_after_at, clicks_after_id, clicks_due_at`;

const INSERT = `
INSERT INTO webhooks (account_id, scope, created_at, ${CHANGEABLE})
SELECT account_id, scope, created_at, ${CHANGEABLE} FROM json_populate_record(NULL::webhooks, $1) AS n
WHERE (SELECT count(*) FROM webhooks w WHERE w.account_id = n.account_id) < $2
RETURNING ${WEBHOOK}`;

const STORE = `
UPDATE webhooks SET (${CHANGEABLE}) = (SELECT ${CHANGEABLE} FROM json_populate_record(NULL::webhooks, $2))
WHERE id = $1`;

const rowJson = ({ disabled, ...webhook }: Omit<WebhookRecord, 'id'>) =>
  JSON.stringify(rowOf({ ...webhook, disabledReason: disabled?.reason, disabledAt: disabled?.at }));

/** Calls `change` with the webhook under its lock, and stores the result. Without one, the webhook stays as it is. */
export async function updateWebhook(
  tx: Transaction,
  id: string,
  change: (current: WebhookRecord) => WebhookRecord | undefined,
  accountId: string | null = null,
): Promise<WebhookUpdate | undefined> {
  const [row] = await rows<WebhookRecordRow>(
    tx,
    `SELECT ${WEBHOOK_RECORD} FROM webhooks WHERE id = $1 AND ($2::uuid IS NULL OR account_id = $2) FOR UPDATE`,
    [id, accountId],
  );
  if (row === undefined) return undefined;
  const from = webhookOf<WebhookRecord>(row);
  const to = change(from);
  if (to === undefined) return undefined;
  await tx.query(STORE, [id, rowJson(to)]);
  return { from, to };
}

/** The webhooks of a resumed account get no visits of its suspension. */
export async function resumeClicks(tx: Transaction, accountId: string): Promise<void> {
  const all = await rows<{ id: string; at: Date }>(
    tx,
    'SELECT id, now() AS at FROM webhooks WHERE account_id = $1 ORDER BY id',
    [accountId],
  );
  for (const { id, at } of all) await updateWebhook(tx, id, (webhook) => clicksFrom(webhook, at));
}

const DELIVERY = `id, type, state, created_at AS "createdAt", attempts, last_attempt_at AS "lastAttemptAt",
  next_attempt_at AS "nextAttemptAt", last_status AS "lastStatus", last_error AS "lastError",
  last_answer AS "lastAnswer"`;

export function postgresWebhooks(db: Database): Webhooks {
  return {
    ...deliveries(db),
    list: async (accountId) => {
      const webhooks = await rows<Row<Webhook>>(
        db,
        `SELECT ${WEBHOOK} FROM webhooks WHERE account_id = $1 ORDER BY created_at, id`,
        [accountId],
      );
      return webhooks.map((row) => webhookOf<Webhook>(row));
    },
    find: async (accountId, id) => {
      const sql = `SELECT ${WEBHOOK} FROM webhooks WHERE account_id = $1 AND id = $2`;
      const [row] = await rows<Row<Webhook>>(db, sql, [accountId, id]);
      return row && webhookOf<Webhook>(row);
    },
    create: ({ at, ...from }, notes) =>
      inTransaction(db, async (tx) => {
        const webhook = newWebhook(from, at);
        await lockAccount(tx, webhook.accountId);
        const [row] = await rows<Row<Webhook>>(tx, INSERT, [rowJson(webhook), WEBHOOK_LIMITS.perAccount]);
        if (row === undefined)
          throw new DomainError(
            'too_many_webhooks',
            `An account may have up to ${WEBHOOK_LIMITS.perAccount} webhooks. Delete one first.`,
          );
        const created = webhookOf<Webhook>(row);
        await storeNotes(tx, notes(created));
        return created;
      }),
    update: (accountId, id, change, notes) =>
      inTransaction(db, async (tx) => {
        const update = await updateWebhook(tx, id, change, accountId);
        if (update !== undefined) await storeNotes(tx, notes(update.to));
        return update;
      }),
    delete: (accountId, id, notes) =>
      inTransaction(db, async (tx) => {
        const sql = `DELETE FROM webhooks WHERE account_id = $1 AND id = $2 RETURNING ${WEBHOOK}`;
        const [row] = await rows<Row<Webhook>>(tx, sql, [accountId, id]);
        if (row !== undefined) await storeNotes(tx, notes(webhookOf<Webhook>(row)));
        return row !== undefined;
      }),
  };
}

function deliveries(db: Database): Pick<Webhooks, 'deliveries' | 'delivery' | 'queue' | 'replay'> {
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
      const replay = await delivery(
        `INSERT INTO webhook_deliveries (webhook_id, type, body, created_at, began_at, next_attempt_at)
         VALUES ($1, $2, $3, $4, $4, $4) RETURNING ${DELIVERY}`,
        [webhookId, type, body, at],
      );
      return replay!;
    },
    replay: (webhookId, id, at) =>
      delivery(
        `UPDATE webhook_deliveries SET state = 'pending', began_at = $3, next_attempt_at = $3, attempts = 0, expires_at = NULL
         WHERE webhook_id = $1 AND id = $2 AND state <> 'pending' RETURNING ${DELIVERY}`,
        [webhookId, id, at],
      ),
  };
}
