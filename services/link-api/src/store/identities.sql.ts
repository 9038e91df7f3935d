import { rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import type { Account } from '../accounts/accounts.port.ts';
import type { Identities } from '../accounts/oidc/identity-provider.port.ts';
import { ACCOUNT } from './account-rows.sql.ts';

export function postgresIdentities(db: DataSource): Identities {
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
    link: async (accountId, { issuer, subject }) => {
      const linked = await rows(
        db,
        `INSERT INTO identities (issuer, subject, account_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
         RETURNING account_id`,
        [issuer, subject, accountId],
      );
      return linked.length === 1;
    },
  };
}
