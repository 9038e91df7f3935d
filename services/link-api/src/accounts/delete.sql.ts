import { DomainError } from '@waypost/domain';
import { rows, type Transaction } from '@waypost/postgres';
import type { OwnerProof } from './sessions.port.ts';

/**
 * Locks an account before its rows are deleted. Resolves to undefined if the session of `proof` has ended or the
 * password has changed. Throws `account_not_found`.
 */
export async function lockForDeletion(
  tx: Transaction,
  { id, proof }: { readonly id: string; readonly proof?: OwnerProof | undefined },
): Promise<{ readonly email: string } | undefined> {
  const [row] = await rows<{ email: string; password_hash: string | null }>(
    tx,
    'SELECT email, password_hash FROM accounts WHERE id = $1 FOR UPDATE',
    [id],
  );
  if (row === undefined) throw new DomainError('account_not_found', 'This account no longer exists.');
  const { email, password_hash: passwordHash } = row;
  if (proof === undefined) return { email };
  const session = await rows(tx, 'SELECT FROM sessions WHERE token_hash = $1', [proof.session]);
  return session.length === 0 || passwordHash !== proof.passwordHash ? undefined : { email };
}

/** PostgreSQL deletes the rows that refer to the account, of all slices. */
export async function deleteAccountRow(tx: Transaction, id: string): Promise<void> {
  await tx.query('DELETE FROM accounts WHERE id = $1', [id]);
}
