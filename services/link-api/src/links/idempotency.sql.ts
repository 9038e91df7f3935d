import { randomUUID } from 'node:crypto';
import { LIMITS } from '@waypost/domain';
import { type Database, execute, inPieces, PIECE, rows } from '@waypost/postgres';
import type { IdempotencyStore } from './link-store.port.ts';

/**
 * No request lasts this long, because the API answers within 5 s. After this time the key is free again, in case its
 * process was killed. A holder that continues later finds that the key has another holder, and creates nothing.
 */
const LEASE_MS = 10_000;

const oldestKept = (now: Date) => new Date(now.getTime() - LIMITS.idempotencyHours * 3_600_000);

const FORGET = `
DELETE FROM idempotency_keys WHERE created_at <= $1 AND ctid = ANY(ARRAY(
  SELECT ctid FROM idempotency_keys WHERE created_at <= $1 LIMIT ${PIECE}
)) RETURNING 1`;

export function postgresIdempotencyStore(db: Database): IdempotencyStore {
  return {
    begin: async (accountId, { endpoint, key, bodyHash }, now) => {
      const holder = randomUUID();
      const heldUntil = new Date(now.getTime() + LEASE_MS);
      const [mine] = await rows<{ holder: string }>(
        db,
        `INSERT INTO idempotency_keys AS i (account_id, endpoint, key, body_hash, holder, held_until, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (account_id, endpoint, key) DO UPDATE
           SET body_hash = $4, holder = $5, held_until = $6, created_at = $7, response = NULL
           WHERE i.created_at <= $8 OR (i.response IS NULL AND i.held_until <= $7)
         RETURNING holder`,
        [accountId, endpoint, key, bodyHash, holder, heldUntil, now, oldestKept(now)],
      );
      if (mine !== undefined) {
        const release = () =>
          execute(
            db,
            `DELETE FROM idempotency_keys
             WHERE account_id = $1 AND endpoint = $2 AND key = $3 AND holder = $4 AND response IS NULL`,
            [accountId, endpoint, key, holder],
          );
        return { state: 'new', holder, release };
      }
      const [other] = await rows<{ body_hash: string; response: unknown; held_until: Date }>(
        db,
        'SELECT body_hash, response, held_until FROM idempotency_keys WHERE account_id = $1 AND endpoint = $2 AND key = $3',
        [accountId, endpoint, key],
      );
      // The other request has failed and released the key meanwhile. The caller can retry as if it were still running.
      if (other === undefined) return { state: 'running', retryAfterSeconds: 1 };
      if (other.body_hash !== bodyHash) return { state: 'mismatch' };
      if (other.response !== null) return { state: 'done', response: other.response };
      const leftMs = other.held_until.getTime() - now.getTime();
      return { state: 'running', retryAfterSeconds: Math.max(1, Math.ceil(Math.min(leftMs, LEASE_MS) / 1000)) };
    },
    forget: (now) => inPieces(db, FORGET, [oldestKept(now)]),
  };
}
