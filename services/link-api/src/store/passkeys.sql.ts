import { DomainError } from '@waypost/domain';
import { inTransaction, isUuid, rows, sqlState } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import type { Account } from '../accounts/accounts.port.ts';
import type { Passkey, Passkeys } from '../accounts/passkeys/passkeys.port.ts';
import { ACCOUNT, lockAccount, UNIQUE_VIOLATION } from './account-rows.sql.ts';
import { storeNotes } from './audit-log.sql.ts';

/** Anybody may request a challenge, so their number is limited. A person needs only seconds to answer one. */
const CHALLENGES_MAX = 10_000;
/** This limit keeps one account from using up the challenges of all accounts. */
const CHALLENGES_OF_ACCOUNT = 10;

const PASSKEY = 'id, name, credential_id AS "credentialId", created_at AS "createdAt", last_used_at AS "lastUsedAt"';

type ListedPasskey = Awaited<ReturnType<Passkeys['list']>>[number];

export function postgresPasskeys(db: DataSource): Passkeys {
  return {
    ...challenges(db),
    create: async ({ accountId, name, max, credentialId, publicKey, counter }, notes) => {
      try {
        return await inTransaction(db, async (tx): Promise<Passkey> => {
          await lockAccount(tx, accountId);
          const [row] = await rows<ListedPasskey>(
            tx,
            `INSERT INTO passkeys (account_id, name, credential_id, public_key, counter)
             SELECT $1::uuid, $2, $3, $4::bytea, $5::bigint
             WHERE (SELECT count(*) FROM passkeys WHERE account_id = $1) < $6
             RETURNING ${PASSKEY}`,
            [accountId, name, credentialId, publicKey, counter, max],
          );
          if (row === undefined)
            throw new DomainError('too_many_passkeys', `Remove one of your ${max} passkeys first.`);
          await storeNotes(tx, notes(row));
          return row;
        });
      } catch (error) {
        if (sqlState(error) === UNIQUE_VIOLATION)
          throw new DomainError('passkey_exists', 'This passkey is registered already.');
        throw error;
      }
    },
    list: (accountId) =>
      rows<ListedPasskey>(db, `SELECT ${PASSKEY} FROM passkeys WHERE account_id = $1 ORDER BY created_at DESC, id`, [
        accountId,
      ]),
    find: async (credentialId) => {
      const [row] = await rows<Account & { publicKey: Buffer; counter: string }>(
        db,
        `SELECT ${ACCOUNT}, p.public_key AS "publicKey", p.counter FROM passkeys p JOIN accounts a ON a.id = p.account_id
         WHERE p.credential_id = $1`,
        [credentialId],
      );
      if (row === undefined) return undefined;
      const { publicKey, counter, ...account } = row;
      return { account, credentialId, publicKey, counter: Number(counter) };
    },
    use: async (credentialId, counter, now) => {
      const used = await rows(
        db,
        `UPDATE passkeys SET counter = $2, last_used_at = $3
         WHERE credential_id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING id`,
        [credentialId, counter, now],
      );
      return used.length === 1;
    },
    delete: (id, accountId, notes) =>
      inTransaction(db, async (tx) => {
        const sql = 'DELETE FROM passkeys WHERE id = $1 AND account_id = $2 RETURNING id, name';
        const [passkey] = isUuid(id) ? await rows<{ id: string; name: string }>(tx, sql, [id, accountId]) : [];
        if (passkey === undefined)
          throw new DomainError('passkey_not_found', `There is no passkey with the id ${id} among yours.`);
        await storeNotes(tx, notes(passkey));
      }),
  };
}

function challenges(db: DataSource): Pick<Passkeys, 'putChallenge' | 'useChallenge'> {
  return {
    putChallenge: async ({ hash, accountId, at, expiresAt }) => {
      await rows(
        db,
        `WITH made AS (
           INSERT INTO passkey_challenges (hash, account_id, expires_at) VALUES ($1, $2, $4)
         )
         DELETE FROM passkey_challenges WHERE expires_at <= $3
           OR id <= (SELECT id FROM passkey_challenges ORDER BY id DESC OFFSET $5 LIMIT 1)
           OR (account_id = $2
             AND id <= (SELECT id FROM passkey_challenges WHERE account_id = $2 ORDER BY id DESC OFFSET $6 LIMIT 1))`,
        [hash, accountId, at, expiresAt, CHALLENGES_MAX - 1, CHALLENGES_OF_ACCOUNT - 1],
      );
    },
    useChallenge: async (hash, accountId, now) => {
      const used = await rows(
        db,
        `DELETE FROM passkey_challenges WHERE hash = $1 AND account_id IS NOT DISTINCT FROM $2::uuid AND expires_at > $3
         RETURNING id`,
        [hash, accountId, now],
      );
      return used.length === 1;
    },
  };
}
