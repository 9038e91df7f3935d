import { type Database, rows, type Transaction } from '@waypost/postgres';

const ROWS_AT_ONCE = 2_000;

/** Resolves to the ids of the webhooks. Their messages are many, so `eraseMessages` deletes them later. */
export async function deleteWebhooks(tx: Transaction, accountId: string): Promise<readonly string[]> {
  const sql = 'DELETE FROM webhooks WHERE account_id = $1 RETURNING id';
  return (await rows<{ id: string }>(tx, sql, [accountId])).map(({ id }) => id);
}

const ERASE_MESSAGES = `
DELETE FROM webhook_deliveries WHERE id IN (
  SELECT id FROM webhook_deliveries WHERE webhook_id = ANY($1) LIMIT ${ROWS_AT_ONCE}
) RETURNING 1`;

/** Deletes in pieces, so that no statement exceeds its time limit. */
export async function eraseMessages(db: Database, webhookIds: readonly string[]): Promise<void> {
  while ((await rows(db, ERASE_MESSAGES, [webhookIds])).length === ROWS_AT_ONCE);
}

/** The id of an event is the slug, a space and the version; `!` is the character after the space. */
const ERASE_FLAGS = `
DELETE FROM webhook_deliveries d USING webhooks w, unnest($1::text[]) AS erased (slug)
WHERE w.scope = 'installation' AND d.webhook_id = w.id
  AND d.event_id > erased.slug || ' ' AND d.event_id < erased.slug || '!'`;

/** Deletes what webhooks of the installation were sent about these links. */
export async function eraseLinkMessages(tx: Transaction, slugs: readonly string[]): Promise<void> {
  await tx.query(ERASE_FLAGS, [slugs]);
}
