import { DomainError } from '@waypost/domain';
import type { AccountDeletion, AccountDeletions } from '@waypost/ports';
import type { DataSource } from 'typeorm';
import { stored } from './accounts.ts';
import { noteChange } from './audit-log.ts';
import { inTransaction, rows, sqlState, translated } from './database.ts';
import { type LinkRow, linkOf } from './link-lists.ts';
import { queueEvents, storeLinks } from './link-store.ts';
import { wakeOutbox } from './outbox.ts';
import { linksAfter } from './personal-data.ts';

/** What an account has, besides its webhooks and what grows with its links. */
const OF_ACCOUNT = [
  'sign_in_links',
  'sessions',
  'api_keys',
  'passkeys',
  'passkey_challenges',
  'identities',
  // In the order of a creation, which locks rows of them.
  'idempotency_keys',
  'creation_quota',
] as const;

const ROWS_AT_ONCE = 2_000;
const DEADLOCK = '40P01';
const ATTEMPTS = 3;

/** A first creation that is under way waits for the account, with a lock that we wait for. */
async function despiteDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== DEADLOCK || attempt === ATTEMPTS) throw translated(error);
    }
  }
}

export function postgresAccountDeletions(db: DataSource): AccountDeletions {
  /** Repeats a statement that deletes at most ROWS_AT_ONCE: one for all might not end within its time limit, ever. */
  const eraseInPieces = async (sql: string, accountId: string) => {
    while ((await rows(db, sql, [accountId])).length === ROWS_AT_ONCE);
  };
  return {
    delete: (account, by, at) =>
      despiteDeadlocks(() =>
        db.transaction(async (tx) => {
          const [column, value] = 'email' in account ? ['email', stored(account.email)] : ['id', account.id];
          const [row] = await rows<{ id: string; email: string; password_hash: string | null }>(
            tx,
            `SELECT id, email, password_hash FROM accounts WHERE ${column} = $1 FOR UPDATE`,
            [value],
          );
          if (row === undefined) {
            const which = 'email' in account ? `with the e-mail address ${account.email}` : 'any more';
            throw new DomainError('account_not_found', `There is no account ${which}.`);
          }
          const { id, email } = row;
          const proof = 'proof' in account ? account.proof : undefined;
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
          await tx.query('SELECT forget_person($1, $2)', [id, email]);
          await tx.query(
            'INSERT INTO account_deletions (account_id, deleted_at, next_at, webhooks) VALUES ($1, $2, $2, $3)',
            [id, at, webhooks.map((webhook) => webhook.id)],
          );
          await noteChange(tx, { by, action: 'account.deleted', subject: id, accountId: id });
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

    eraseLinks: (accountId, { after, limit }, change) =>
      inTransaction(db, async (tx) => {
        const page = linksAfter(accountId, after, limit);
        const found = await rows<LinkRow>(tx, `${page.text} FOR UPDATE`, page.values);
        const links = found.map(linkOf);
        const changed = links.map(change);
        const ids = found.map(({ id }) => id);
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
        await tx.query("UPDATE cases SET message = '' WHERE slug = ANY($1::text[]) AND message <> ''", [slugs]);
        return changed.map((next, i) => next?.link ?? links[i]!);
      }).finally(() => wakeOutbox(db)),

    eraseMessages: async (accountId) => {
      for (const table of ['webhook_deliveries', 'webhook_clicks'])
        await eraseInPieces(
          `DELETE FROM ${table} WHERE id IN (
            SELECT m.id FROM ${table} m JOIN account_deletions d ON m.webhook_id = ANY(d.webhooks)
            WHERE d.account_id = $1 LIMIT ${ROWS_AT_ONCE}
          ) RETURNING 1`,
          accountId,
        );
    },

    postpone: async (accountId, until) => {
      await rows(db, 'UPDATE account_deletions SET next_at = $2 WHERE account_id = $1', [accountId, until]);
    },
    finish: async (accountId) => {
      await rows(db, 'DELETE FROM account_deletions WHERE account_id = $1', [accountId]);
    },
  };
}
