import { DomainError } from '@waypost/domain';
import { inTransaction, rows, sqlState, translated } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import { storeNotes } from '../audit/audit-log.sql.ts';
import { type LinkRow, linkOf } from '../links/link-lists.sql.ts';
import { queueEvents, storeLinks } from '../links/links.sql.ts';
import type { AccountDeletion, AccountDeletions } from './deletions.port.ts';
import { linksAfter } from './personal-data.sql.ts';

/** Tables with a few rows for each account. Webhooks, and tables that grow with the links, are deleted separately. */
const OF_ACCOUNT = [
  'sign_in_links',
  'sessions',
  'devices',
  'api_keys',
  'passkeys',
  'identities',
  // A creation locks these two tables in the same order, which avoids deadlocks.
  'idempotency_keys',
  'creation_quota',
] as const;

const ROWS_AT_ONCE = 2_000;
const DEADLOCK = '40P01';
const ATTEMPTS = 3;

/** Retries after a deadlock: a concurrent first creation may hold a lock while it waits for the account. */
async function despiteDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== DEADLOCK || attempt === ATTEMPTS) throw translated(error);
    }
  }
}

export function postgresAccountDeletions(db: DataSource, wakeOutbox: () => void): AccountDeletions {
  /** Deletes in pieces of ROWS_AT_ONCE rows, so that no statement exceeds its time limit. */
  const eraseInPieces = async (sql: string, accountId: string) => {
    while ((await rows(db, sql, [accountId])).length === ROWS_AT_ONCE);
  };
  return {
    delete: ({ id, proof }, notes, at) =>
      despiteDeadlocks(() =>
        db.transaction(async (tx) => {
          const [row] = await rows<{ email: string; password_hash: string | null }>(
            tx,
            'SELECT email, password_hash FROM accounts WHERE id = $1 FOR UPDATE',
            [id],
          );
          if (row === undefined) throw new DomainError('account_not_found', 'This account does not exist any more.');
          const { email } = row;
          if (proof !== undefined) {
            const session = await tx.query('SELECT FROM sessions WHERE token_hash = $1', [proof.session]);
            if (session.length === 0 || row.password_hash !== proof.passwordHash) return undefined;
          }
          for (const table of OF_ACCOUNT) await tx.query(`DELETE FROM ${table} WHERE account_id = $1`, [id]);
          const webhooks = await rows<{ id: string }>(tx, 'DELETE FROM webhooks WHERE account_id = $1 RETURNING id', [
            id,
          ]);
          await tx.query("UPDATE cases SET account_id = NULL, message = '' WHERE account_id = $1", [id]);
          await tx.query('DELETE FROM accounts WHERE id = $1', [id]);
          await tx.query(
            'INSERT INTO account_deletions (account_id, deleted_at, next_at, webhooks) VALUES ($1, $2, $2, $3)',
            [id, at, webhooks.map((webhook) => webhook.id)],
          );
          await storeNotes(tx, notes({ id }));
          return { email };
        }),
      ),

    claim: async (now, leaseUntil) => {
      const [claimed] = await rows<AccountDeletion>(
        db,
        `UPDATE account_deletions SET next_at = $2 WHERE account_id = (
           SELECT account_id FROM account_deletions WHERE next_at <= $1
           ORDER BY next_at > deleted_at, next_at LIMIT 1 FOR UPDATE SKIP LOCKED
         ) RETURNING account_id AS "accountId", deleted_at AS "deletedAt"`,
        [now, leaseUntil],
      );
      return claimed;
    },

    eraseLinks: eraseLinks(db, wakeOutbox),
    eraseMessages: (accountId) =>
      eraseInPieces(
        `DELETE FROM webhook_deliveries WHERE id IN (
          SELECT m.id FROM webhook_deliveries m JOIN account_deletions d ON m.webhook_id = ANY(d.webhooks)
          WHERE d.account_id = $1 LIMIT ${ROWS_AT_ONCE}
        ) RETURNING 1`,
        accountId,
      ),

    postpone: async (accountId, until) => {
      await rows(db, 'UPDATE account_deletions SET next_at = $2 WHERE account_id = $1', [accountId, until]);
    },
    finish: async (accountId) => {
      await rows(db, 'DELETE FROM account_deletions WHERE account_id = $1', [accountId]);
    },
  };
}

/** The id of an event is the slug, a space and the version; `!` is the character after the space. */
const FORGET_FLAGS = `
DELETE FROM webhook_deliveries d USING webhooks w, unnest($1::text[]) AS erased (slug)
WHERE w.scope = 'installation' AND d.webhook_id = w.id
  AND d.event_id > erased.slug || ' ' AND d.event_id < erased.slug || '!'`;

function eraseLinks(db: DataSource, wakeOutbox: () => void): AccountDeletions['eraseLinks'] {
  return (accountId, { after, limit }, change) =>
    inTransaction(db, async (tx) => {
      const page = linksAfter(accountId, after, limit);
      const linkRows = await rows<LinkRow>(tx, `${page.text} FOR UPDATE`, page.values);
      const links = linkRows.map(linkOf);
      const changed = links.map(change);
      const ids = linkRows.map(({ id }) => id);
      const at = changed.flatMap((next, i) => (next === undefined ? [] : [{ id: ids[i]!, next }]));
      await storeLinks(tx, at);
      await tx.query("UPDATE links SET tags = '{}' WHERE id = ANY($1::bigint[]) AND tags <> '{}'", [ids]);
      await queueEvents(
        tx,
        at.map(({ next }) => next),
      );
      for (const table of ['link_verdicts', 'link_reviews'])
        await tx.query(`DELETE FROM ${table} WHERE link_id = ANY($1::bigint[])`, [ids]);
      const slugs = links.map(({ slug }) => slug);
      await tx.query('DELETE FROM imported_clicks WHERE slug = ANY($1::text[])', [slugs]);
      await tx.query(FORGET_FLAGS, [slugs]);
      await tx.query("UPDATE cases SET message = '' WHERE slug = ANY($1::text[]) AND message <> ''", [slugs]);
      return changed.map((next, i) => next?.link ?? links[i]!);
    }).finally(() => wakeOutbox());
}
