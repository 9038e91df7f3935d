import { type ApiKey, DomainError, LIMITS } from '@waypost/domain';
import { type Database, deleteInPieces, inTransaction, isUuid, prepared, rows } from '@waypost/postgres';
import { CALLER, type CallerRow, callerOf, ITS_ACCOUNT, lockAccount, marking } from '../accounts/index.ts';
import { storeNotes } from '../audit/index.ts';
import type { Caller } from '../platform/caller.ts';
import type { ApiKeys, DeletedKey, ListedKey } from './keys.port.ts';

interface AuthenticatedRow extends CallerRow {
  id: string;
  scopes: Caller['scopes'];
  /** True if the last noted use is more than a minute old. */
  unmarked: boolean;
}

const AUTHENTICATE = `
SELECT k.id, k.scopes, k.last_used_at < now() - interval '1 minute' IS NOT false AS unmarked, ${CALLER}
FROM api_keys k ${ITS_ACCOUNT}
WHERE k.key_hash = $1 AND k.expires_at > now() IS NOT false`;

const ACTIVE = 'account_id = $1 AND expires_at > now() IS NOT false';

const EXPIRED = { table: 'api_keys', key: 'id', condition: 'expires_at <= now()' };

const WEBHOOKS = `
SELECT id, url, disabled_at IS NULL AS enabled FROM webhooks WHERE account_id = $1 AND key_id = $2
ORDER BY created_at, id FOR UPDATE`;

const SWITCH_OFF_WEBHOOKS = `
UPDATE webhooks SET disabled_reason = 'owner', disabled_at = now()
WHERE account_id = $1 AND key_id = $2 AND disabled_at IS NULL`;

export function postgresApiKeys(db: Database, options: { readonly creationsPerHour: number }): ApiKeys {
  const markUsed = marking((id) => rows(db, 'UPDATE api_keys SET last_used_at = now() WHERE id = $1', [id]));
  return {
    create: ({ keyHash, hint, ...key }, notes) =>
      inTransaction(db, async (tx) => {
        const { accountId, name, scopes } = key;
        await lockAccount(tx, accountId);
        const [row] = await rows<Pick<ApiKey, 'id' | 'createdAt'>>(
          tx,
          `INSERT INTO api_keys (account_id, name, scopes, key_hash, hint, expires_at) SELECT $1, $2, $3, $4, $5, $6
           WHERE (SELECT count(*) FROM api_keys WHERE ${ACTIVE}) < $7 RETURNING id, created_at AS "createdAt"`,
          [accountId, name, scopes, keyHash, hint, key.expiresAt, LIMITS.activeKeysPerAccount],
        );
        if (row === undefined)
          throw new DomainError(
            'too_many_keys',
            `An account may have up to ${LIMITS.activeKeysPerAccount} active API keys. Delete one first.`,
          );
        const created = { ...key, ...row };
        await storeNotes(tx, notes(created));
        return created;
      }),
    authenticate: async (keyHash) => {
      const [row] = await prepared<AuthenticatedRow>(db, 'authenticate', AUTHENTICATE, [
        keyHash,
        options.creationsPerHour,
      ]);
      if (row === undefined) return undefined;
      if (row.unmarked) void markUsed(row.id, new Date());
      return { ...callerOf(row), keyId: row.id, scopes: row.scopes };
    },
    list: (accountId) =>
      rows<ListedKey>(
        db,
        `SELECT id, account_id AS "accountId", name, scopes, hint, created_at AS "createdAt",
           last_used_at AS "lastUsedAt", expires_at AS "expiresAt"
         FROM api_keys WHERE ${ACTIVE} ORDER BY created_at DESC, id`,
        [accountId],
      ),
    delete: (id, from, notes) =>
      inTransaction(db, async (tx) => {
        const [row] = !isUuid(id)
          ? []
          : await rows<Omit<DeletedKey, 'webhooks'>>(
              tx,
              `DELETE FROM api_keys WHERE id = $1 AND account_id = coalesce($2, account_id)
               RETURNING id, account_id AS "accountId", name, now() AS "deletedAt"`,
              [id, from.accountId ?? null],
            );
        if (row === undefined) throw new DomainError('key_not_found', `There is no active API key with the ID ${id}.`);
        const ofKey = [row.accountId, row.id];
        const webhooks = await rows<DeletedKey['webhooks'][number]>(tx, WEBHOOKS, ofKey);
        await storeNotes(tx, notes({ ...row, webhooks }));
        if (from.webhooks === 'keep') return { ...row, webhooks };
        await rows(tx, SWITCH_OFF_WEBHOOKS, ofKey);
        return { ...row, webhooks: webhooks.map((webhook) => ({ ...webhook, enabled: false })) };
      }),
    forget: () => deleteInPieces(db, EXPIRED, []),
  };
}
