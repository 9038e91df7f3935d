import { accountGone } from '@waypost/domain';
import { type Database, execute, inTransaction, rows, type Transaction } from '@waypost/postgres';
import { storeNotes } from '../audit/index.ts';
import { ACCOUNT, insertAccount, storedEmail } from './account-rows.sql.ts';
import type { Account, Accounts, Credentials, SignInLink } from './accounts.port.ts';
import { insertSession } from './sessions.sql.ts';

const FIRST_ACCOUNT_LOCK = 0x7761_7966; // "wayf" in ASCII

const USE_SIGN_IN_LINK = `
DELETE FROM sign_in_links WHERE account_id = $3 AND token_hash = $1 AND expires_at > $2 RETURNING 1`;

export async function putSignInLink(tx: Transaction, accountId: string, link: SignInLink): Promise<void> {
  await tx.query(
    `INSERT INTO sign_in_links (account_id, token_hash, expires_at) VALUES ($1, $2, $3)
     ON CONFLICT (account_id) DO UPDATE SET token_hash = $2, expires_at = $3`,
    [accountId, link.tokenHash, link.expiresAt],
  );
}

const credentialsBy = (column: string) =>
  `SELECT ${ACCOUNT}, a.password_hash AS "passwordHash" FROM accounts a WHERE a.${column} = $1`;

export const signingIn = (db: Database) =>
  ({
    credentials: async (email) => (await rows<Credentials>(db, credentialsBy('email'), [storedEmail(email)]))[0],
    own: async (id) => {
      const [account] = await rows<Credentials>(db, credentialsBy('id'), [id]);
      if (account === undefined) throw accountGone();
      return account;
    },
    setPassword: (id, { from, to, session }, notes) =>
      inTransaction(db, async (tx) => {
        const accountRows = await rows(
          tx,
          `UPDATE accounts SET password_hash = $3 WHERE id = $1 AND password_hash IS NOT DISTINCT FROM $2
             AND EXISTS (SELECT FROM sessions WHERE token_hash = $4) RETURNING 1`,
          [id, from, to, session],
        );
        if (accountRows.length === 0) return false;
        await tx.query('DELETE FROM sessions WHERE account_id = $1 AND token_hash <> $2', [id, session]);
        await storeNotes(tx, notes());
        return true;
      }),
    putFirstRun: ({ tokenHash, expiresAt }) =>
      execute(
        db,
        `INSERT INTO first_run (token_hash, expires_at) VALUES ($1, $2)
         ON CONFLICT (only_one) DO UPDATE SET token_hash = $1, expires_at = $2`,
        [tokenHash, expiresAt],
      ),
    findFirstRun: async (tokenHash, now) => {
      const tokens = await rows(
        db,
        'SELECT FROM first_run WHERE token_hash = $1 AND expires_at > $2 AND NOT EXISTS (SELECT FROM accounts)',
        [tokenHash, now],
      );
      return tokens.length === 1;
    },
    createFirst: ({ tokenHash, email, passwordHash }, notes) =>
      inTransaction(db, async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock($1)', [FIRST_ACCOUNT_LOCK]);
        if ((await rows(tx, 'SELECT FROM accounts LIMIT 1', [])).length > 0) return undefined;
        const used = await rows(tx, 'DELETE FROM first_run WHERE token_hash = $1 RETURNING only_one', [tokenHash]);
        if (used.length === 0) return undefined;
        const account = await insertAccount(tx, { email, admin: true, passwordHash });
        await storeNotes(tx, notes(account));
        return account;
      }),
    putSignInLink: (accountId, link, notes) =>
      inTransaction(db, async (tx) => {
        await putSignInLink(tx, accountId, link);
        await storeNotes(tx, notes());
      }),
    findSignInLink: async (tokenHash, now) => {
      const [account] = await rows<Account>(
        db,
        `SELECT ${ACCOUNT} FROM sign_in_links l JOIN accounts a ON a.id = l.account_id
         WHERE l.token_hash = $1 AND l.expires_at > $2`,
        [tokenHash, now],
      );
      return account;
    },
    useSignInLink: (tokenHash, session, notes) =>
      inTransaction(db, async (tx) => {
        // This locks the account first, as its deletion does, which avoids deadlocks.
        const [account] = await rows<Account>(
          tx,
          `SELECT ${ACCOUNT} FROM accounts a JOIN sign_in_links l ON l.account_id = a.id WHERE l.token_hash = $1
           FOR UPDATE OF a`,
          [tokenHash],
        );
        if (account === undefined) return undefined;
        if ((await rows(tx, USE_SIGN_IN_LINK, [tokenHash, session.at, account.id])).length === 0) return undefined;
        await insertSession(tx, account.id, session);
        await storeNotes(tx, notes(account));
        return account;
      }),
  }) satisfies Partial<Accounts>;
