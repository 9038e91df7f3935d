import { type Database, execute, inTransaction, rows, sqlState, translated } from '@waypost/postgres';
import { deleteAccountRow, lockForDeletion } from '../accounts/index.ts';
import { storeNotes } from '../audit/index.ts';
import { eraseNextLinks } from '../links/index.ts';
import { eraseCaseTexts, forgetWriter } from '../moderation/index.ts';
import { deleteWebhooks, eraseLinkMessages, eraseMessages } from '../webhooks/index.ts';
import type { AccountDeletion, AccountDeletions } from './deletions.port.ts';

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

export function postgresAccountDeletions(db: Database, wakeOutbox: () => void): AccountDeletions {
  return {
    delete: ({ id, proof }, notes, at) =>
      despiteDeadlocks(() =>
        db.transaction(async (tx) => {
          const account = await lockForDeletion(tx, { id, proof });
          if (account === undefined) return undefined;
          const webhooks = await deleteWebhooks(tx, id);
          await forgetWriter(tx, id);
          await deleteAccountRow(tx, id);
          await tx.query(
            'INSERT INTO account_deletions (account_id, deleted_at, next_at, webhooks) VALUES ($1, $2, $2, $3)',
            [id, at, webhooks],
          );
          await storeNotes(tx, notes({ id }));
          return account;
        }),
      ),

    claim: async (now, leaseUntil) => {
      const [claimed] = await rows<AccountDeletion>(
        db,
        `UPDATE account_deletions SET next_at = $2 WHERE account_id = (
           SELECT account_id FROM account_deletions WHERE next_at <= $1
           ORDER BY next_at > deleted_at, next_at LIMIT 1 FOR UPDATE SKIP LOCKED
         ) RETURNING account_id AS "accountId", purged_at AS "purgedAt"`,
        [now, leaseUntil],
      );
      return claimed;
    },

    eraseLinks: (accountId, page, change) =>
      inTransaction(db, async (tx) => {
        const links = await eraseNextLinks(tx, accountId, page, change);
        const slugs = links.map(({ slug }) => slug);
        await eraseLinkMessages(tx, slugs);
        await eraseCaseTexts(tx, slugs);
        return links;
      }).finally(() => wakeOutbox()),
    eraseMessages: async (accountId) => {
      const sql = 'SELECT webhooks FROM account_deletions WHERE account_id = $1';
      const [deletion] = await rows<{ webhooks: readonly string[] }>(db, sql, [accountId]);
      if (deletion !== undefined) await eraseMessages(db, deletion.webhooks);
    },

    postpone: (accountId, until) =>
      execute(db, 'UPDATE account_deletions SET next_at = $2 WHERE account_id = $1', [accountId, until]),
    purged: (accountId, firstAt, until) =>
      execute(db, 'UPDATE account_deletions SET purged_at = $2, next_at = $3 WHERE account_id = $1', [
        accountId,
        firstAt,
        until,
      ]),
    finish: (accountId) => execute(db, 'DELETE FROM account_deletions WHERE account_id = $1', [accountId]),
  };
}
