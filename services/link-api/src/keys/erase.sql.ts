import type { EntityManager } from 'typeorm';

export async function deleteKeys(tx: EntityManager, accountId: string): Promise<void> {
  await tx.query('DELETE FROM api_keys WHERE account_id = $1', [accountId]);
}
