import { accountGone, DomainError } from '@waypost/domain';
import { type Database, inTransaction, rows, type Transaction } from '@waypost/postgres';
import type { Account, AccountDetails } from './accounts.port.ts';

/** PostgreSQL cannot store NUL, so no account has an address with NUL. */
export const storedEmail = (email: string) => email.toLowerCase().replaceAll('\0', '\ufffd');

export const ACCOUNT = 'a.id, a.email, a.admin, a.creations_per_hour AS "creationsPerHour"';
export const DETAILS = `${ACCOUNT}, a.created_at AS "createdAt", a.suspended_at AS "suspendedAt",
  a.suspension_reason AS "suspensionReason"`;

/** Locks the row of the account, so that no concurrent request changes the number of its rows in other tables. */
export async function lockAccount(tx: Transaction, id: string): Promise<void> {
  const locked = await rows(tx, 'SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id]);
  if (locked.length === 0) throw accountGone();
}

export async function insertAccount(
  tx: Transaction,
  { email, admin, passwordHash }: { email: string; admin: boolean; passwordHash: string | null },
): Promise<Account> {
  const sql = `INSERT INTO accounts AS a (email, admin, password_hash) VALUES ($1, $2, $3) RETURNING ${ACCOUNT}`;
  const [account] = await rows<Account>(tx, sql, [storedEmail(email), admin, passwordHash]);
  return account!;
}

/** Runs `work` with the row of the account locked. Throws `account_not_found`. */
export function changingAccount<T>(
  db: Database,
  email: string,
  work: (tx: Transaction, account: AccountDetails) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (tx) => {
    const sql = `SELECT ${DETAILS} FROM accounts a WHERE a.email = $1 FOR UPDATE`;
    const [account] = await rows<AccountDetails>(tx, sql, [storedEmail(email)]);
    if (account === undefined)
      throw new DomainError('account_not_found', `There is no account with the e-mail address ${email}.`);
    return work(tx, account);
  });
}
