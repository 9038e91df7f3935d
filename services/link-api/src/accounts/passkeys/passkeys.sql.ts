import { DomainError } from '@waypost/domain';
import { type Database, inTransaction, isUuid, rows, sqlState, UNIQUE_VIOLATION } from '@waypost/postgres';
import { storeNotes } from '../../audit/index.ts';
import { ACCOUNT, lockAccount } from '../account-rows.sql.ts';
import type { Account } from '../accounts.port.ts';
import type { Passkey, Passkeys } from './passkeys.port.ts';

const PASSKEY = 'id, name, credential_id AS "credentialId", created_at AS "createdAt", last_used_at AS "lastUsedAt"';

type ListedPasskey = Awaited<ReturnType<Passkeys['list']>>[number];

export function postgresPasskeys(db: Database): Passkeys {
  return {
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
            throw new DomainError('too_many_passkeys', `An account may have up to ${max} passkeys. Delete one first.`);
          await storeNotes(tx, notes(row));
          return row;
        });
      } catch (error) {
        if (sqlState(error) === UNIQUE_VIOLATION)
          throw new DomainError('passkey_exists', 'This passkey already exists.');
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
    useChallenge: async (hash, expiresAt, now) => {
      const used = await rows(
        db,
        `WITH expired AS (DELETE FROM used_challenges WHERE expires_at <= $3)
         INSERT INTO used_challenges (hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1`,
        [hash, expiresAt, now],
      );
      return used.length === 1;
    },
    delete: (id, accountId, notes) =>
      inTransaction(db, async (tx) => {
        const sql = 'DELETE FROM passkeys WHERE id = $1 AND account_id = $2 RETURNING id, name';
        const [passkey] = isUuid(id) ? await rows<{ id: string; name: string }>(tx, sql, [id, accountId]) : [];
        if (passkey === undefined)
          throw new DomainError('passkey_not_found', `Your account has no passkey with the ID ${id}.`);
        await storeNotes(tx, notes(passkey));
      }),
  };
}
