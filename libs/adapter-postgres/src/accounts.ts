import { type Actor, type ApiKey, accountGone, DomainError, LIMITS } from '@waypost/domain';
import type {
  Account,
  AccountDetails,
  Accounts,
  ApiKeys,
  Caller,
  Credentials,
  ListedKey,
  SignInLink,
} from '@waypost/ports';
import type { DataSource, EntityManager } from 'typeorm';
import { noteChange } from './audit-log.ts';
import { binding, inPieces, inTransaction, isUuid, PIECE, prepared, rows, sqlState } from './database.ts';

export const UNIQUE_VIOLATION = '23505';
/** Held while the first account is made. */
const FIRST_ACCOUNT_LOCK = 0x7761_7966; // "wayf"

/** PostgreSQL stores no NUL: such an address is no account's. */
export const stored = (email: string) => email.toLowerCase().replaceAll('\0', '\ufffd');

/** The columns of an `Account`, and of its details. */
export const ACCOUNT = 'a.id, a.email, a.admin, a.creations_per_hour AS "creationsPerHour"';
export const DETAILS = `${ACCOUNT}, a.created_at AS "createdAt", a.suspended_at AS "suspendedAt",
  a.suspension_reason AS "suspensionReason"`;

/** The account is locked first, as by its deletion. */
const USE_SIGN_IN_LINK = `
WITH account AS (
  SELECT ${ACCOUNT} FROM accounts a JOIN sign_in_links l ON l.account_id = a.id WHERE l.token_hash = $1 FOR SHARE OF a
), used AS (
  UPDATE sign_in_links l SET used_at = $2 FROM account
  WHERE l.account_id = account.id AND l.token_hash = $1 AND l.used_at IS NULL AND l.expires_at > $2
  RETURNING l.account_id
), started AS (
  INSERT INTO sessions (token_hash, account_id, by_link, started_at, expires_at) SELECT $3, account_id, true, $2, $4 FROM used
)
SELECT account.* FROM account JOIN used ON used.account_id = account.id`;

/** An account's row is the lock for counting what it has. */
export async function lockAccount(tx: EntityManager, id: string): Promise<void> {
  const found = await rows(tx, 'SELECT FROM accounts WHERE id = $1 FOR UPDATE', [id]);
  if (found.length === 0) throw accountGone();
}

async function putSignInLink(tx: EntityManager, accountId: string, link: SignInLink, by: Actor): Promise<void> {
  await tx.query(
    `INSERT INTO sign_in_links (account_id, token_hash, expires_at) VALUES ($1, $2, $3)
     ON CONFLICT (account_id) DO UPDATE SET token_hash = $2, expires_at = $3, used_at = NULL`,
    [accountId, link.tokenHash, link.expiresAt],
  );
  await noteChange(tx, { by, action: 'account.sign_in_link_made', subject: accountId, accountId });
}

async function insert(
  tx: EntityManager,
  { email, admin, passwordHash }: { email: string; admin: boolean; passwordHash: string | null },
): Promise<Account> {
  const sql = `INSERT INTO accounts AS a (email, admin, password_hash) VALUES ($1, $2, $3) RETURNING ${ACCOUNT}`;
  const [made] = await rows<Account>(tx, sql, [stored(email), admin, passwordHash]);
  return made!;
}

export function postgresAccounts(db: DataSource): Accounts {
  /** The account under its lock, for a change and its note. */
  const changing = <T>(email: string, work: (tx: EntityManager, account: AccountDetails) => Promise<T>): Promise<T> =>
    inTransaction(db, async (tx) => {
      const sql = `SELECT ${DETAILS} FROM accounts a WHERE a.email = $1 FOR UPDATE`;
      const [account] = await rows<AccountDetails>(tx, sql, [stored(email)]);
      if (account === undefined)
        throw new DomainError('account_not_found', `There is no account with the e-mail address ${email}.`);
      return work(tx, account);
    });
  const setSuspension = async (
    tx: EntityManager,
    account: AccountDetails,
    change: Pick<AccountDetails, 'suspendedAt' | 'suspensionReason'>,
    note: { readonly by: Actor; readonly action: 'account.suspended' | 'account.resumed' },
  ) => {
    const { id } = account;
    const values = [id, change.suspendedAt, change.suspensionReason];
    await rows(tx, 'UPDATE accounts SET suspended_at = $2, suspension_reason = $3 WHERE id = $1', values);
    await noteChange(tx, { ...note, subject: id, accountId: id, detail: change.suspensionReason });
    return { ...account, ...change };
  };

  return {
    create: async ({ signInLink, ...account }, by) => {
      try {
        return await inTransaction(db, async (tx) => {
          const made = await insert(tx, account);
          const detail = account.admin ? 'an administrator' : '';
          await noteChange(tx, { by, action: 'account.created', subject: made.id, accountId: made.id, detail });
          if (signInLink !== undefined) await putSignInLink(tx, made.id, signInLink, by);
          return made;
        });
      } catch (error) {
        if (sqlState(error) !== UNIQUE_VIOLATION) throw error;
        throw new DomainError(
          'account_exists',
          `There is an account with the e-mail address ${account.email} already.`,
        );
      }
    },
    list: async ({ page, limit, search, suspended }) => {
      const { values, bind } = binding();
      const conditions = ['true'];
      // strpos, not LIKE: nothing in the text is a pattern.
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
    },
    suspend: (email, { reason, at }, by) =>
      changing(email, (tx, account) => {
        const change = { suspendedAt: account.suspendedAt ?? at, suspensionReason: reason };
        return setSuspension(tx, account, change, { by, action: 'account.suspended' });
      }),
    resume: (email, by) =>
      changing(email, async (tx, account) => {
        if (account.suspendedAt === null) return account;
        const change = { suspendedAt: null, suspensionReason: null };
        return setSuspension(tx, account, change, { by, action: 'account.resumed' });
      }),
    any: async () => (await rows(db, 'SELECT FROM accounts LIMIT 1', [])).length > 0,
    findByEmail: async (email) => {
      const sql = `SELECT ${ACCOUNT} FROM accounts a WHERE a.email = $1`;
      return (await rows<Account>(db, sql, [stored(email)]))[0];
    },
    credentials: async (by) => {
      const [column, value] = 'email' in by ? ['email', stored(by.email)] : ['id', by.id];
      const sql = `SELECT ${ACCOUNT}, a.password_hash AS "passwordHash" FROM accounts a WHERE a.${column} = $1`;
      return (await rows<Credentials>(db, sql, [value]))[0];
    },
    setPassword: (id, { from, to, session }, by) =>
      inTransaction(db, async (tx) => {
        const changed = await rows(
          tx,
          `UPDATE accounts SET password_hash = $3 WHERE id = $1 AND password_hash IS NOT DISTINCT FROM $2
             AND EXISTS (SELECT FROM sessions WHERE token_hash = $4) RETURNING 1`,
          [id, from, to, session],
        );
        if (changed.length === 0) return false;
        await tx.query('DELETE FROM sessions WHERE account_id = $1 AND token_hash <> $2', [id, session]);
        for (const action of ['account.password_changed', 'account.sessions_ended'] as const)
          await noteChange(tx, { by, action, subject: id, accountId: id });
        return true;
      }),
    putFirstRun: async (tokenHash) => {
      await rows(
        db,
        `INSERT INTO first_run (token_hash) VALUES ($1) ON CONFLICT (only_one) DO UPDATE SET token_hash = $1`,
        [tokenHash],
      );
    },
    findFirstRun: async (tokenHash) => {
      const found = await rows(
        db,
        'SELECT FROM first_run WHERE token_hash = $1 AND NOT EXISTS (SELECT FROM accounts)',
        [tokenHash],
      );
      return found.length === 1;
    },
    createFirst: ({ tokenHash, email, passwordHash }) =>
      inTransaction(db, async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock($1)', [FIRST_ACCOUNT_LOCK]);
        if ((await rows(tx, 'SELECT FROM accounts LIMIT 1', [])).length > 0) return undefined;
        const used = await rows(tx, 'DELETE FROM first_run WHERE token_hash = $1 RETURNING only_one', [tokenHash]);
        if (used.length === 0) return undefined;
        const made = await insert(tx, { email, admin: true, passwordHash });
        const by = { accountId: null, via: 'first_run', credential: null } as const;
        await noteChange(tx, { by, action: 'account.created', subject: made.id, accountId: made.id });
        return made;
      }),
    setLimit: (email, creationsPerHour, by) =>
      changing(email, async (tx, { id, ...account }) => {
        await rows(tx, 'UPDATE accounts SET creations_per_hour = $2 WHERE id = $1', [id, creationsPerHour]);
        const detail = `creations_per_hour ${creationsPerHour ?? 'by default'}`;
        await noteChange(tx, { by, action: 'account.limit_set', subject: id, accountId: id, detail });
        return { id, ...account, creationsPerHour };
      }),
    putSignInLink: (accountId, link, by) => inTransaction(db, (tx) => putSignInLink(tx, accountId, link, by)),
    findSignInLink: async (tokenHash, now) => {
      const [found] = await rows<Account>(
        db,
        `SELECT ${ACCOUNT} FROM sign_in_links l JOIN accounts a ON a.id = l.account_id
         WHERE l.token_hash = $1 AND l.used_at IS NULL AND l.expires_at > $2`,
        [tokenHash, now],
      );
      return found;
    },
    useSignInLink: async (tokenHash, { tokenHash: sessionHash, at, expiresAt }) => {
      const [found] = await rows<Account>(db, USE_SIGN_IN_LINK, [tokenHash, at, sessionHash, expiresAt]);
      return found;
    },
  };
}

export interface QuotaRow {
  quota: number;
  window_start: Date | null;
  used: number | null;
}

export function creationsOf({ quota, window_start: start, used }: QuotaRow): Caller['creations'] {
  return { limit: quota, window: start === null ? undefined : { start, used: used ?? 0 } };
}

export interface CallerRow extends QuotaRow {
  account_id: string;
  admin: boolean;
  suspended: boolean;
  suspension_reason: string | null;
}

/** What a caller is by its account. `$2` is the limit of an account without its own. */
export const CALLER = `a.id AS account_id, a.admin, a.suspended_at IS NOT NULL AS suspended, a.suspension_reason,
  coalesce(a.creations_per_hour, $2::int) AS quota, q.window_start, q.used`;
export const ITS_ACCOUNT = 'JOIN accounts a ON a.id = account_id LEFT JOIN creation_quota q ON q.account_id = a.id';

export const callerOf = (row: CallerRow) => ({
  accountId: row.account_id,
  admin: row.admin,
  ...(row.suspended && { suspension: { reason: row.suspension_reason } }),
  creations: creationsOf(row),
});

interface AuthenticatedRow extends CallerRow {
  id: string;
  scopes: Caller['scopes'];
  /** Its use was not noted for a minute. */
  unmarked: boolean;
}

const AUTHENTICATE = `
SELECT k.id, k.scopes, k.last_used_at < now() - interval '1 minute' IS NOT false AS unmarked, ${CALLER}
FROM api_keys k ${ITS_ACCOUNT}
WHERE k.key_hash = $1 AND k.deleted_at IS NULL AND k.expires_at > now() IS NOT false`;

/** `$1` is the account. */
const ACTIVE = 'account_id = $1 AND deleted_at IS NULL AND expires_at > now() IS NOT false';

const FORGET = `
DELETE FROM api_keys WHERE id IN (
  SELECT id FROM api_keys WHERE deleted_at IS NOT NULL OR expires_at <= now() LIMIT ${PIECE}
) RETURNING id`;

export function postgresApiKeys(db: DataSource, options: { readonly creationsPerHour: number }): ApiKeys {
  /** Nobody waits for it, and a key that is used much writes once a minute. What fails is noted by a later use. */
  const marking = new Set<string>();
  const markUsed = async (id: string) => {
    if (marking.has(id)) return;
    marking.add(id);
    await rows(db, 'UPDATE api_keys SET last_used_at = now() WHERE id = $1', [id]).catch(() => undefined);
    marking.delete(id);
  };
  return {
    create: ({ keyHash, hint, ...key }, by) =>
      inTransaction(db, async (tx) => {
        const { accountId, name, scopes } = key;
        await lockAccount(tx, accountId);
        const [made] = await rows<Pick<ApiKey, 'id' | 'createdAt'>>(
          tx,
          `INSERT INTO api_keys (account_id, name, scopes, key_hash, hint, expires_at) SELECT $1, $2, $3, $4, $5, $6
           WHERE (SELECT count(*) FROM api_keys WHERE ${ACTIVE}) < $7 RETURNING id, created_at AS "createdAt"`,
          [accountId, name, scopes, keyHash, hint, key.expiresAt, LIMITS.activeKeysPerAccount],
        );
        if (made === undefined)
          throw new DomainError('too_many_keys', `Delete one of your ${LIMITS.activeKeysPerAccount} keys first.`);
        const detail = `${name} (${scopes.join(', ')})`;
        await noteChange(tx, { by, action: 'key.created', subject: made.id, accountId, detail });
        return { ...key, ...made };
      }),
    authenticate: async (keyHash) => {
      const [row] = await prepared<AuthenticatedRow>(db, 'authenticate', AUTHENTICATE, [
        keyHash,
        options.creationsPerHour,
      ]);
      if (row === undefined) return undefined;
      if (row.unmarked) void markUsed(row.id);
      return { ...callerOf(row), keyId: row.id, scopes: row.scopes };
    },
    list: (accountId) =>
      rows<ListedKey>(
        db,
        `SELECT id, account_id AS "accountId", name, scopes, hint, created_at AS "createdAt",
           last_used_at AS "lastUsedAt", expires_at AS "expiresAt"
         FROM api_keys WHERE ${ACTIVE} ORDER BY created_at DESC, id`,
        [accountId],
      ),
    delete: (id, accountId, by) =>
      inTransaction(db, async (tx) => {
        const [row] = !isUuid(id)
          ? []
          : await rows<{ deleted_at: Date; account_id: string; name: string }>(
              tx,
              `UPDATE api_keys SET deleted_at = now() WHERE id = $1 AND deleted_at IS NULL
           AND account_id = coalesce($2, account_id) RETURNING deleted_at, account_id, name`,
              [id, accountId ?? null],
            );
        if (row === undefined) throw new DomainError('key_not_found', `There is no active key with the id ${id}.`);
        const subject = id.toLowerCase();
        await noteChange(tx, { by, action: 'key.deleted', subject, accountId: row.account_id, detail: row.name });
        return { id: subject, deletedAt: row.deleted_at };
      }),
    forget: () => inPieces(db, FORGET, []),
  };
}
