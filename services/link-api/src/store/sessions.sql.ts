import { inPieces, inTransaction, PIECE, prepared, rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import type { Sessions } from '../accounts/sessions.port.ts';
import type { SignInAttempts } from '../platform/attempts.ts';
import { storeNotes } from './audit-log.sql.ts';
import { CALLER, type CallerRow, callerOf, ITS_ACCOUNT } from './callers.sql.ts';

interface SessionRow extends CallerRow {
  by_link: boolean;
  started_at: Date;
}

const AUTHENTICATE = `
SELECT s.by_link, s.started_at, ${CALLER} FROM sessions s ${ITS_ACCOUNT} WHERE s.token_hash = $1 AND s.expires_at > $3`;

/** Anybody can cause these rows, so they are deleted in pieces. */
const FORGET_ATTEMPTS = `
DELETE FROM sign_in_attempts WHERE subject IN (
  SELECT subject FROM sign_in_attempts WHERE window_ends <= $1 LIMIT ${PIECE}
) RETURNING 1`;

export function postgresSessions(db: DataSource, options: { readonly creationsPerHour: number }): Sessions {
  return {
    start: async ({ tokenHash, accountId, at, expiresAt, passwordHash }) => {
      // The lock orders this and a concurrent change of the password. A later change ends the session; after an earlier
      // change, no session starts.
      const started = await rows(
        db,
        `INSERT INTO sessions (token_hash, account_id, by_link, started_at, expires_at)
         SELECT $1, id, false, $3, $4 FROM accounts WHERE id = $2 AND ($5::text IS NULL OR password_hash = $5) FOR SHARE
         RETURNING 1`,
        [tokenHash, accountId, at, expiresAt, passwordHash ?? null],
      );
      return started.length === 1;
    },
    authenticate: async (tokenHash, now) => {
      const values = [tokenHash, options.creationsPerHour, now];
      const [row] = await prepared<SessionRow>(db, 'authenticate_session', AUTHENTICATE, values);
      if (row === undefined) return undefined;
      return {
        ...callerOf(row),
        keyId: null,
        session: { tokenHash, startedAt: row.started_at, byLink: row.by_link },
        scopes: row.admin ? ['read', 'write', 'admin'] : ['read', 'write'],
      };
    },
    end: async (tokenHash) => {
      await rows(db, 'DELETE FROM sessions WHERE token_hash = $1', [tokenHash]);
    },
    endAll: (accountId, notes) =>
      inTransaction(db, async (tx) => {
        await tx.query('DELETE FROM sessions WHERE account_id = $1', [accountId]);
        await storeNotes(tx, notes());
      }),
    forget: async (now) => {
      await rows(db, 'DELETE FROM sessions WHERE expires_at <= $1', [now]);
      await inPieces(db, FORGET_ATTEMPTS, [now]);
    },
  };
}

const WINDOW_MS = 15 * 60_000;

export function postgresSignInAttempts(db: DataSource): SignInAttempts {
  return {
    count: async (subject, now) => {
      const [row] = await rows<{ attempts: number; window_ends: Date }>(
        db,
        `INSERT INTO sign_in_attempts AS a (subject, attempts, window_ends) VALUES ($1, 1, $3)
         ON CONFLICT (subject) DO UPDATE SET
           attempts = CASE WHEN a.window_ends > $2 THEN a.attempts + 1 ELSE 1 END,
           window_ends = CASE WHEN a.window_ends > $2 THEN a.window_ends ELSE $3 END
         RETURNING attempts, window_ends`,
        [subject, now, new Date(now.getTime() + WINDOW_MS)],
      );
      return { attempts: row!.attempts, windowEnds: row!.window_ends };
    },
    clear: async (subject) => {
      await rows(db, 'DELETE FROM sign_in_attempts WHERE subject = $1', [subject]);
    },
  };
}
