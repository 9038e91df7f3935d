import { inPieces, PIECE, rows } from '@waypost/postgres';
import type { DataSource, EntityManager } from 'typeorm';
import { NOTICE_KEPT_MS, type Notice } from '../notices/notice.ts';
import type { Notices, WaitingNotice } from '../notices/notices.port.ts';
import { queueEvent } from './webhook-queue.sql.ts';

/** Queues the message for the webhooks of the installation, and the line for the next mail. */
export async function storeNotice(tx: EntityManager, { message, mail }: Notice): Promise<void> {
  await queueEvent(tx, message);
  await tx.query('INSERT INTO operator_notices (kind, line, created_at) VALUES ($1, $2, $3)', [
    mail.kind,
    mail.line,
    message.at,
  ]);
}

const CLAIM = `
WITH turn AS (
  UPDATE installation SET next_mail_at = $2
  WHERE next_mail_at <= $1 AND EXISTS (SELECT FROM operator_notices) RETURNING 1
)
SELECT id::text, kind, line FROM operator_notices, turn ORDER BY operator_notices.id LIMIT $3`;

const MAILED = `
WITH mailed AS (DELETE FROM operator_notices WHERE id = ANY($1::bigint[]))
UPDATE installation SET next_mail_at = $2`;

export function postgresNotices(db: DataSource): Notices {
  return {
    claim: (now, leaseUntil, limit) => rows<WaitingNotice>(db, CLAIM, [now, leaseUntil, limit]),
    mailed: async (ids, nextAt) => {
      await rows(db, MAILED, [ids, nextAt]);
    },
    forget: (now) =>
      inPieces(
        db,
        `DELETE FROM operator_notices WHERE id IN (
           SELECT id FROM operator_notices WHERE created_at <= $1 LIMIT ${PIECE}) RETURNING 1`,
        [new Date(now.getTime() - NOTICE_KEPT_MS)],
      ),
  };
}
