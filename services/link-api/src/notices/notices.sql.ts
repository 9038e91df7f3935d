import { type Database, deleteInPieces, execute, rows, type Transaction } from '@waypost/postgres';
import { queueEvent } from '../webhooks/index.ts';
import { NOTICE_KEPT_MS, type Notice, type NoticeKind } from './notice.ts';
import type { Notices, WaitingNotice } from './notices.port.ts';

/** Queues the message for the webhooks of the installation, and the line for the next mail. */
export async function storeNotice(tx: Transaction, { message, mail }: Notice): Promise<void> {
  await queueEvent(tx, message);
  await tx.query('INSERT INTO operator_notices (kind, line, created_at) VALUES ($1, $2, $3)', [
    mail.kind,
    mail.line,
    message.at,
  ]);
}

const CLAIM = `
WITH next_try AS (
  UPDATE installation SET next_mail_at = $2
  -- No wait is as long as an hour: the clock was set back.
  WHERE (next_mail_at <= $1 OR next_mail_at > $1::timestamptz + interval '1 hour')
    AND EXISTS (SELECT FROM operator_notices) RETURNING 1
)
SELECT id::text, kind, line FROM operator_notices, next_try ORDER BY operator_notices.id LIMIT $3`;

const MAILED = `
WITH mailed AS (DELETE FROM operator_notices WHERE id = ANY($1::bigint[]))
UPDATE installation SET next_mail_at = $2`;

const NOTE_LISTINGS = `
WITH before AS (SELECT listings_noted_at AS at FROM installation FOR UPDATE),
listings AS (
  SELECT * FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY AS input (line, since, place)
  WHERE since > (SELECT at FROM before)
),
noted AS (
  UPDATE installation SET listings_noted_at = (SELECT max(since) FROM listings) WHERE EXISTS (SELECT FROM listings)
)
INSERT INTO operator_notices (kind, line, created_at)
SELECT $4, line, $3 FROM listings ORDER BY place`;

const OLD = { table: 'operator_notices', key: 'id', condition: 'created_at <= $1' };

export function postgresNotices(db: Database): Notices {
  return {
    claim: (now, leaseUntil, limit) => rows<WaitingNotice>(db, CLAIM, [now, leaseUntil, limit]),
    mailed: (ids, nextAt) => execute(db, MAILED, [ids, nextAt]),
    noteListings: (listings, now) => {
      const values = [listings.map(({ line }) => line), listings.map(({ since }) => since)];
      return execute(db, NOTE_LISTINGS, [...values, now, 'threat feed listing' satisfies NoticeKind]);
    },
    forget: (now) => deleteInPieces(db, OLD, [new Date(now.getTime() - NOTICE_KEPT_MS)]),
  };
}
