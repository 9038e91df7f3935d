import { DomainError, LIMITS } from '@waypost/domain';
import type { Account, Accounts as AccountsPort, ApiKeys, Caller } from '@waypost/ports';
import type { DataSource } from 'typeorm';
import { prepared, rows, sqlState, translated, translating } from './database.ts';
import { type AccountRow, Accounts, ApiKeyRows } from './entities.ts';

const UNIQUE_VIOLATION = '23505';

export function postgresAccounts(db: DataSource): AccountsPort {
  const accounts = db.getRepository(Accounts);
  const accountOf = (row: AccountRow): Account => ({
    id: row.id,
    email: row.email,
    admin: row.admin,
    creationsPerHour: row.creationsPerHour,
  });
  const findByEmail = async (email: string) => {
    const row = await translating(accounts.findOneBy({ email: email.toLowerCase() }));
    return row === null ? undefined : accountOf(row);
  };
  const signInLink = async (sql: string, tokenHash: Buffer, now: Date) => {
    const [found] = await rows<{ account_id: string }>(db, sql, [tokenHash, now]);
    if (found === undefined) return undefined;
    return accountOf(await translating(accounts.findOneByOrFail({ id: found.account_id })));
  };

  return {
    create: async ({ email, admin, passwordHash }) => {
      try {
        const row = accounts.create({ email: email.toLowerCase(), admin, passwordHash, creationsPerHour: null });
        return accountOf(await accounts.save(row));
      } catch (error) {
        if (sqlState(error) === UNIQUE_VIOLATION) {
          throw new DomainError('account_exists', `There is an account with the e-mail address ${email} already.`);
        }
        throw translated(error);
      }
    },
    any: () => translating(accounts.exists()),
    findByEmail,
    setLimit: async (email, creationsPerHour) => {
      await translating(accounts.update({ email: email.toLowerCase() }, { creationsPerHour }));
      const account = await findByEmail(email);
      if (account === undefined)
        throw new DomainError('account_not_found', `There is no account with the e-mail address ${email}.`);
      return account;
    },
    putSignInLink: async (accountId, tokenHash, expiresAt) => {
      await rows(
        db,
        `INSERT INTO sign_in_links (account_id, token_hash, expires_at) VALUES ($1, $2, $3)
         ON CONFLICT (account_id) DO UPDATE SET token_hash = $2, expires_at = $3, used_at = NULL`,
        [accountId, tokenHash, expiresAt],
      );
    },
    findSignInLink: (tokenHash, now) =>
      signInLink(
        'SELECT account_id FROM sign_in_links WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2',
        tokenHash,
        now,
      ),
    useSignInLink: (tokenHash, now) =>
      signInLink(
        `UPDATE sign_in_links SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2
         RETURNING account_id`,
        tokenHash,
        now,
      ),
  };
}

interface AuthenticatedRow {
  id: string;
  account_id: string;
  scopes: Caller['scopes'];
  admin: boolean;
  quota: number;
  window_start: Date | null;
  used: number | null;
}

const AUTHENTICATE = `
SELECT k.id, k.account_id, k.scopes, a.admin, coalesce(a.creations_per_hour, $2::int) AS quota, q.window_start, q.used
FROM api_keys k JOIN accounts a ON a.id = k.account_id LEFT JOIN creation_quota q ON q.account_id = a.id
WHERE k.key_hash = $1 AND k.deleted_at IS NULL`;

export function postgresApiKeys(db: DataSource, options: { readonly creationsPerHour: number }): ApiKeys {
  return {
    create: ({ accountId, name, scopes, keyHash, hint }) =>
      translating(
        db.transaction(async (tx) => {
          // The account's row is the lock for counting its keys.
          await tx.findOneOrFail(Accounts, { where: { id: accountId }, lock: { mode: 'pessimistic_write' } });
          const active = await tx
            .createQueryBuilder(ApiKeyRows, 'key')
            .where('key.accountId = :accountId AND key.deletedAt IS NULL', { accountId })
            .getCount();
          if (active >= LIMITS.activeKeysPerAccount) {
            throw new DomainError('too_many_keys', `Delete one of your ${LIMITS.activeKeysPerAccount} keys first.`);
          }
          const row = await tx.save(ApiKeyRows, {
            accountId,
            name,
            scopes: [...scopes],
            keyHash,
            hint,
            deletedAt: null,
          });
          return { id: row.id, accountId, name, scopes, createdAt: row.createdAt };
        }),
      ),
    authenticate: async (keyHash) => {
      const [row] = await prepared<AuthenticatedRow>(db, 'authenticate', AUTHENTICATE, [
        keyHash,
        options.creationsPerHour,
      ]);
      if (row === undefined) return undefined;
      return {
        accountId: row.account_id,
        keyId: row.id,
        scopes: row.scopes,
        admin: row.admin,
        creations: {
          limit: row.quota,
          window: row.window_start === null ? undefined : { start: row.window_start, used: row.used ?? 0 },
        },
      };
    },
    delete: async (id) => {
      const [row] = await rows<{ deleted_at: Date }>(
        db,
        `UPDATE api_keys SET deleted_at = now() WHERE id::text = lower($1) AND deleted_at IS NULL RETURNING deleted_at`,
        [id],
      );
      if (row === undefined) throw new DomainError('key_not_found', `There is no active key with the id ${id}.`);
      return { id: id.toLowerCase(), deletedAt: row.deleted_at };
    },
  };
}
