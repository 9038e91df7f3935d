import { accountGone } from '@waypost/domain';
import { rows } from '@waypost/postgres';
import type { EntityManager } from 'typeorm';
import type { Account } from './accounts.port.ts';

export const UNIQUE_VIOLATION = '23505';

/** PostgreSQL cannot store NUL, so no account has an address with NUL. */
export const storedEmail = (email: string) => email.toLowerCase().replaceAll('\0', '\ufffd');

export const ACCOUNT = 'a.id, a.email, a.admin, a.creations_per_hour AS "creationsPerHour"';
export const DETAILS = `${ACCOUNT}, a.created_at AS "createdAt", a.suspended_at AS "suspendedAt",
  a.suspension_reason AS "suspensionReason"`;

/** Locks the row of the account, so that no concurrent request changes the number of its rows in other tables. */
export async function lockAccount(tx: EntityManager, id: string): Promise<void> {
  const locked = await rows(tx, 'SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id]);
  if (locked.length === 0) throw accountGone();
}

export async function insertAccount(
  tx: EntityManager,
  { email, admin, passwordHash }: { email: string; admin: boolean; passwordHash: string | null },
): Promise<Account> {
  const sql = `INSERT INTO accounts AS a (email, admin, password_hash) VALUES ($1, $2, $3) RETURNING ${ACCOUNT}`;
  const [account] = await rows<Account>(tx, sql, [storedEmail(email), admin, passwordHash]);
  return account!;
}
