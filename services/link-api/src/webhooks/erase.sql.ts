import { type Database, deleteInPieces, rows, type Transaction } from '@waypost/postgres';

/** Resolves to the ids of the webhooks. Their messages are many, so `eraseMessages` deletes them later. */
export async function deleteWebhooks(tx: Transaction, accountId: string): Promise<readonly string[]> {
  const sql = 'DELETE FROM webhooks WHERE account_id = $1 RETURNING id';
  return (await rows<{ id: string }>(tx, sql, [accountId])).map(({ id }) => id);
}

const OF_WEBHOOKS = { table: 'webhook_deliveries', key: 'id', condition: 'webhook_id = ANY($1)' };

export const eraseMessages = (db: Database, webhookIds: readonly string[]): Promise<void> =>
  deleteInPieces(db, OF_WEBHOOKS, [webhookIds]);

/** The id of an event is the slug, a space and the version; `!` is the character after the space. */
const ERASE_FLAGS = `
DELETE FROM webhook_deliveries d USING webhooks w, unnest($1::text[]) AS erased (slug)
WHERE w.scope = 'installation' AND d.webhook_id = w.id
  AND d.event_id > erased.slug || ' ' AND d.event_id < erased.slug || '!'`;

/** Deletes what webhooks of the installation were sent about these links. */
export async function eraseLinkMessages(tx: Transaction, slugs: readonly string[]): Promise<void> {
  await tx.query(ERASE_FLAGS, [slugs]);
}
