import type { Transaction } from '@waypost/postgres';

/** Of the cases that an account filed, its id and what it wrote are erased. */
export async function forgetWriter(tx: Transaction, accountId: string): Promise<void> {
  await tx.query("UPDATE cases SET account_id = NULL, message = '' WHERE account_id = $1", [accountId]);
}

export async function eraseCaseTexts(tx: Transaction, slugs: readonly string[]): Promise<void> {
  await tx.query("UPDATE cases SET message = '' WHERE slug = ANY($1::text[]) AND message <> ''", [slugs]);
}
