import { DomainError, LIMITS, type SignInWay } from '@waypost/domain';
import {
  type Database,
  deleteInPieces,
  execute,
  inTransaction,
  isUuid,
  prepared,
  rows,
  type Transaction,
} from '@waypost/postgres';
import { storeNotes } from '../audit/index.ts';
import type { SignInAttempts } from '../platform/attempts.ts';
import { SESSION_ID_LENGTH } from '../platform/caller.ts';
import { lockAccount } from './account-rows.sql.ts';
import { CALLER, type CallerRow, callerOf, ITS_ACCOUNT, marking } from './callers.sql.ts';
import type { Device, NewSession, Session, Sessions } from './sessions.port.ts';

/** A session that was not used for this time has ended, and its device is not known any more after some time. */
const IDLE = "interval '7 days'";
const DEVICE_KEPT = "interval '90 days'";

interface SessionRow extends CallerRow {
  via: SignInWay;
  proved_at: Date;
  unmarked: boolean;
}

const WORKS = (now: string) => `s.expires_at > ${now} AND s.used_at > ${now}::timestamptz - ${IDLE}`;

const AUTHENTICATE = `
SELECT s.via, s.proved_at, s.used_at < $3::timestamptz - interval '5 minutes' AS unmarked, ${CALLER}
FROM sessions s ${ITS_ACCOUNT} WHERE s.token_hash = $1 AND ${WORKS('$3')}`;

/** Anybody can cause these rows, so they are deleted in pieces. */
const OLD_ATTEMPTS = { table: 'sign_in_attempts', key: 'subject', condition: 'window_ends <= $1' };

const deleteOlder = (table: string, key: string, time: string) =>
  `DELETE FROM ${table} WHERE ${key} IN (
     SELECT ${key} FROM ${table} WHERE account_id = $1 ORDER BY ${time} DESC OFFSET ${LIMITS.sessionsPerAccount})`;

/** The row of the account must be locked. The first device of an account needs no confirmation. */
export async function insertSession(tx: Transaction, accountId: string, session: NewSession): Promise<void> {
  const { tokenHash, via, at, expiresAt } = session;
  const origin = [session.origin.browser, session.origin.system, session.origin.country];
  await tx.query(
    `INSERT INTO sessions (account_id, browser, system, country, token_hash, via, started_at, proved_at, used_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7, $8)`,
    [accountId, ...origin, tokenHash, via, at, expiresAt],
  );
  await tx.query(
    `INSERT INTO devices AS d (account_id, browser, system, country, first_at, last_at, known)
     VALUES ($1, $2, $3, $4, $5, $5, NOT EXISTS (SELECT FROM devices WHERE account_id = $1))
     ON CONFLICT (account_id, browser, system, country) DO UPDATE SET last_at = greatest(d.last_at, $5)`,
    [accountId, ...origin, at],
  );
  await tx.query(deleteOlder('sessions', 'token_hash', 'started_at'), [accountId]);
  await tx.query(deleteOlder('devices', 'id', 'last_at'), [accountId]);
}

export function postgresSessions(db: Database, options: { readonly creationsPerHour: number }): Sessions {
  const markUsed = marking((hash, now) =>
    rows(db, "UPDATE sessions SET used_at = greatest(used_at, $2) WHERE token_hash = decode($1, 'hex')", [hash, now]),
  );
  return {
    ...devices(db),
    start: ({ accountId, passwordHash, ...session }, notes) =>
      inTransaction(db, async (tx) => {
        // The lock orders this and a concurrent change of the password. A later change ends the session; after an
        // earlier change, no session starts.
        const account = await rows(
          tx,
          'SELECT FROM accounts WHERE id = $1 AND ($2::text IS NULL OR password_hash = $2) FOR UPDATE',
          [accountId, passwordHash ?? null],
        );
        if (account.length === 0) return false;
        await insertSession(tx, accountId, session);
        await storeNotes(tx, notes());
        return true;
      }),
    authenticate: async (tokenHash, now) => {
      const values = [tokenHash, options.creationsPerHour, now];
      const [row] = await prepared<SessionRow>(db, 'authenticate_session', AUTHENTICATE, values);
      if (row === undefined) return undefined;
      if (row.unmarked) void markUsed(tokenHash.toString('hex'), now);
      const { via, proved_at: provedAt } = row;
      return {
        ...callerOf(row),
        keyId: null,
        session: { tokenHash, via, provedAt },
        scopes: row.admin ? ['read', 'write', 'admin'] : ['read', 'write'],
      };
    },
    prove: async (tokenHash, newHash, at) => {
      const sql = `UPDATE sessions s SET token_hash = $2, proved_at = $3, used_at = greatest(used_at, $3)
        WHERE s.token_hash = $1 AND ${WORKS('$3')} RETURNING 1`;
      return (await rows(db, sql, [tokenHash, newHash, at])).length === 1;
    },
    list: (accountId, now) =>
      rows<Session>(
        db,
        `SELECT left(encode(s.token_hash, 'hex'), ${SESSION_ID_LENGTH}) AS id, s.via, s.started_at AS "startedAt",
           s.used_at AS "usedAt", ${ORIGIN}
         FROM sessions s WHERE s.account_id = $1 AND ${WORKS('$2')} ORDER BY s.started_at DESC, id`,
        [accountId, now],
      ),
    end: (tokenHash) => execute(db, 'DELETE FROM sessions WHERE token_hash = $1', [tokenHash]),
    endOne: (accountId, id, notes) =>
      inTransaction(db, async (tx) => {
        const sql = `DELETE FROM sessions WHERE account_id = $1 AND left(encode(token_hash, 'hex'), ${SESSION_ID_LENGTH}) = $2
          RETURNING 1`;
        if ((await rows(tx, sql, [accountId, id])).length === 0)
          throw new DomainError('session_not_found', 'Your account has no session with this ID.');
        await storeNotes(tx, notes());
      }),
    endAll: (accountId, notes) =>
      inTransaction(db, async (tx) => {
        await tx.query('DELETE FROM sessions WHERE account_id = $1', [accountId]);
        await storeNotes(tx, notes());
      }),
    secure: (accountId, { password }, notes) =>
      inTransaction(db, async (tx) => {
        // A sign-in that is under way waits for the lock, and then has the wrong password.
        await lockAccount(tx, accountId);
        if (password) await tx.query('UPDATE accounts SET password_hash = NULL WHERE id = $1', [accountId]);
        for (const table of ['sessions', 'sign_in_links'])
          await tx.query(`DELETE FROM ${table} WHERE account_id = $1`, [accountId]);
        // If such a device comes again, the owner is told again.
        await tx.query('DELETE FROM devices WHERE account_id = $1 AND NOT known', [accountId]);
        await storeNotes(tx, notes());
      }),
    forget: async (now) => {
      await rows(db, `DELETE FROM sessions s WHERE NOT (${WORKS('$1')})`, [now]);
      await rows(db, `DELETE FROM devices WHERE last_at <= $1::timestamptz - ${DEVICE_KEPT}`, [now]);
      await deleteInPieces(db, OLD_ATTEMPTS, [now]);
    },
  };
}

const ORIGIN = "json_build_object('browser', browser, 'system', system, 'country', country) AS origin";

const devices = (db: Database): Pick<Sessions, 'devices' | 'confirmDevice'> => ({
  devices: (accountId) =>
    rows<Device>(
      db,
      `SELECT id, first_at AS "firstAt", last_at AS "lastAt", known, ${ORIGIN} FROM devices WHERE account_id = $1
       ORDER BY first_at DESC, id`,
      [accountId],
    ),
  confirmDevice: async ({ accountId, id, session }) => {
    const sql = `UPDATE devices d SET known = true WHERE d.account_id = $1 AND d.id = $2 AND NOT EXISTS (
      SELECT FROM sessions s WHERE s.token_hash = $3
        AND (s.browser, s.system, s.country) = (d.browser, d.system, d.country)) RETURNING 1`;
    if (!isUuid(id) || (await rows(db, sql, [accountId, id, session])).length === 0)
      throw new DomainError('device_not_found', 'Your account has no other device with this ID.');
  },
});

const WINDOW_MS = 15 * 60_000;
/** A window that ends much later began before the clock was set back. Clocks of replicas may differ a little. */
const IS_OPEN = 'a.window_ends > $2 AND a.window_ends <= $4';

export function postgresSignInAttempts(db: Database): SignInAttempts {
  return {
    count: async (subject, now) => {
      const [row] = await rows<{ attempts: number; window_ends: Date }>(
        db,
        `INSERT INTO sign_in_attempts AS a (subject, attempts, window_ends) VALUES ($1, 1, $3)
         ON CONFLICT (subject) DO UPDATE SET
           attempts = CASE WHEN ${IS_OPEN} THEN a.attempts + 1 ELSE 1 END,
           window_ends = CASE WHEN ${IS_OPEN} THEN a.window_ends ELSE $3 END
         RETURNING attempts, window_ends`,
        [subject, now, new Date(now.getTime() + WINDOW_MS), new Date(now.getTime() + 2 * WINDOW_MS)],
      );
      return { attempts: row!.attempts, windowEnds: row!.window_ends };
    },
    clear: (subject) => execute(db, 'DELETE FROM sign_in_attempts WHERE subject = $1', [subject]),
  };
}
