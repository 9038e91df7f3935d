import type { EntityManager } from 'typeorm';

/** Of the cases that an account filed, its id and what it wrote are erased. */
export async function forgetWriter(tx: EntityManager, accountId: string): Promise<void> {
  await tx.query("UPDATE cases SET account_id = NULL, message = '' WHERE account_id = $1", [accountId]);
}

export async function eraseCaseTexts(tx: EntityManager, slugs: readonly string[]): Promise<void> {
  await tx.query("UPDATE cases SET message = '' WHERE slug = ANY($1::text[]) AND message <> ''", [slugs]);
}
