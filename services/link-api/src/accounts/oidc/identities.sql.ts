import { DomainError } from '@waypost/domain';
import { type Database, inTransaction, isUuid, rows } from '@waypost/postgres';
import { storeNotes } from '../../audit/index.ts';
import { ACCOUNT, lockAccount } from '../account-rows.sql.ts';
import type { Account } from '../accounts.port.ts';
import type { Identities, LinkedIdentity } from './identity-provider.port.ts';

const LINKED = 'id, issuer, subject, created_at AS "createdAt"';

export function postgresIdentities(db: Database): Identities {
  return {
    find: async ({ issuer, subject }) => {
      const [account] = await rows<Account>(
        db,
        `SELECT ${ACCOUNT} FROM accounts a JOIN identities i ON i.account_id = a.id
         WHERE i.issuer = $1 AND i.subject = $2`,
        [issuer, subject],
      );
      return account;
    },
    list: (accountId) =>
      rows<LinkedIdentity>(db, `SELECT ${LINKED} FROM identities WHERE account_id = $1 ORDER BY created_at DESC, id`, [
        accountId,
      ]),
    link: (accountId, { issuer, subject }, notes) =>
      inTransaction(db, async (tx) => {
        await lockAccount(tx, accountId);
        const [linked] = await rows<LinkedIdentity>(
          tx,
          `INSERT INTO identities (issuer, subject, account_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
           RETURNING ${LINKED}`,
          [issuer, subject, accountId],
        );
        if (linked !== undefined) await storeNotes(tx, notes(linked));
        return linked !== undefined;
      }),
    remove: (accountId, id, notes) =>
      inTransaction(db, async (tx) => {
        const sql = `DELETE FROM identities WHERE id = $1 AND account_id = $2 RETURNING ${LINKED}`;
        const [identity] = isUuid(id) ? await rows<LinkedIdentity>(tx, sql, [id, accountId]) : [];
        if (identity === undefined)
          throw new DomainError('identity_not_found', `Your account has no identity with the ID ${id}.`);
        await storeNotes(tx, notes(identity));
      }),
  };
}
