import { DomainError } from '@waypost/domain';
import { binding, inTransaction, rows, sqlState } from '@waypost/postgres';
import type { DataSource, EntityManager } from 'typeorm';
import { storeNotes } from '../audit/audit-log.sql.ts';
import type { NotesOf } from '../audit/note.ts';
import { clicksFrom } from '../webhooks/webhooks.sql.ts';
import { ACCOUNT, DETAILS, insertAccount, storedEmail, UNIQUE_VIOLATION } from './account-rows.sql.ts';
import type { Account, AccountDetails, Accounts } from './accounts.port.ts';
import { putSignInLink, signingIn } from './sign-in.sql.ts';

export function postgresAccounts(db: DataSource): Accounts {
  const changing = <T>(email: string, work: (tx: EntityManager, account: AccountDetails) => Promise<T>): Promise<T> =>
    inTransaction(db, async (tx) => {
      const sql = `SELECT ${DETAILS} FROM accounts a WHERE a.email = $1 FOR UPDATE`;
      const [account] = await rows<AccountDetails>(tx, sql, [storedEmail(email)]);
      if (account === undefined)
        throw new DomainError('account_not_found', `There is no account with the e-mail address ${email}.`);
      return work(tx, account);
    });
  const setSuspension = async (
    tx: EntityManager,
    account: AccountDetails,
    change: Pick<AccountDetails, 'suspendedAt' | 'suspensionReason'>,
    notes: NotesOf<Account>,
  ) => {
    const { id } = account;
    const values = [id, change.suspendedAt, change.suspensionReason];
    await rows(tx, 'UPDATE accounts SET suspended_at = $2, suspension_reason = $3 WHERE id = $1', values);
    await storeNotes(tx, notes(account));
    return { ...account, ...change };
  };

  return {
    ...signingIn(db),
    create: async ({ signInLink, ...account }, notes) => {
      try {
        return await inTransaction(db, async (tx) => {
          const created = await insertAccount(tx, account);
          if (signInLink !== undefined) await putSignInLink(tx, created.id, signInLink);
          await storeNotes(tx, notes(created));
          return created;
        });
      } catch (error) {
        if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
        throw new DomainError(
          'account_exists',
          `There is an account with the e-mail address ${account.email} already.`,
        );
      }
    },
    list: (query) => listAccounts(db, query),
    suspend: (email, { reason, at }, notes) =>
      changing(email, (tx, account) => {
        const change = { suspendedAt: account.suspendedAt ?? at, suspensionReason: reason };
        return setSuspension(tx, account, change, notes);
      }),
    resume: (email, notes) =>
      changing(email, async (tx, account) => {
        if (account.suspendedAt === null) return account;
        const change = { suspendedAt: null, suspensionReason: null };
        await rows(tx, `UPDATE webhooks SET ${clicksFrom('now()')} WHERE account_id = $1`, [account.id]);
        return setSuspension(tx, account, change, notes);
      }),
    any: async () => (await rows(db, 'SELECT FROM accounts LIMIT 1', [])).length > 0,
    findByEmail: async (email) => {
      const sql = `SELECT ${ACCOUNT} FROM accounts a WHERE a.email = $1`;
      return (await rows<Account>(db, sql, [storedEmail(email)]))[0];
    },
    setLimit: (email, creationsPerHour, notes) =>
      changing(email, async (tx, account) => {
        await rows(tx, 'UPDATE accounts SET creations_per_hour = $2 WHERE id = $1', [account.id, creationsPerHour]);
        await storeNotes(tx, notes(account));
        return { ...account, creationsPerHour };
      }),
  };
}

async function listAccounts(db: DataSource, query: Parameters<Accounts['list']>[0]): ReturnType<Accounts['list']> {
  const { page, limit, search, suspended } = query;
  const { values, bind } = binding();
  const conditions = ['true'];
  // `strpos` searches the text literally, while LIKE would read `%` and `_` as patterns.
  if (search !== undefined) conditions.push(`strpos(a.email, lower(${bind(search)})) > 0`);
  if (suspended !== undefined) conditions.push(`a.suspended_at IS ${suspended ? 'NOT ' : ''}NULL`);
  const from = `FROM accounts a WHERE ${conditions.join(' AND ')}`;
  const [counted] = await rows<{ total: number }>(db, `SELECT count(*)::integer AS total ${from}`, values);
  const accounts = await rows<AccountDetails>(
    db,
    `SELECT ${DETAILS} ${from} ORDER BY a.created_at DESC, a.id
     LIMIT ${bind(limit)} OFFSET ${bind((page - 1) * limit)}`,
    values,
  );
  return { accounts, total: counted!.total };
}
