import { DomainError } from '@waypost/domain';
import { binding, type Database, inTransaction, rows, sqlState, UNIQUE_VIOLATION } from '@waypost/postgres';
import { storeNotes } from '../audit/index.ts';
import { ACCOUNT, changingAccount, DETAILS, insertAccount, storedEmail } from './account-rows.sql.ts';
import type { Account, AccountDetails, Accounts } from './accounts.port.ts';
import { putSignInLink, signingIn } from './sign-in.sql.ts';

export function postgresAccounts(db: Database): Accounts {
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
        throw new DomainError('account_exists', `An account with the e-mail address ${account.email} already exists.`);
      }
    },
    list: (query) => listAccounts(db, query),
    find: async (id) => {
      const sql = `SELECT ${DETAILS} FROM accounts a WHERE a.id = $1`;
      return (await rows<AccountDetails>(db, sql, [id]))[0];
    },
    any: async () => (await rows(db, 'SELECT FROM accounts LIMIT 1', [])).length > 0,
    findByEmail: async (email) => {
      const sql = `SELECT ${ACCOUNT} FROM accounts a WHERE a.email = $1`;
      return (await rows<Account>(db, sql, [storedEmail(email)]))[0];
    },
    setLimit: (email, creationsPerHour, notes) =>
      changingAccount(db, email, async (tx, account) => {
        await rows(tx, 'UPDATE accounts SET creations_per_hour = $2 WHERE id = $1', [account.id, creationsPerHour]);
        await storeNotes(tx, notes(account));
        return { ...account, creationsPerHour };
      }),
  };
}

async function listAccounts(db: Database, query: Parameters<Accounts['list']>[0]): ReturnType<Accounts['list']> {
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
