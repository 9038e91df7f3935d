import type { Identities } from '@waypost/ports';
import type { DataSource } from 'typeorm';
import { accountOf } from './accounts.ts';
import { rows, translating } from './database.ts';
import { Accounts } from './entities.ts';

export function postgresIdentities(db: DataSource): Identities {
  return {
    find: async ({ issuer, subject }) => {
      const found = await translating(
        db
          .getRepository(Accounts)
          .createQueryBuilder('account')
          .innerJoin('identities', 'identity', 'identity.account_id = account.id')
          .where('identity.issuer = :issuer AND identity.subject = :subject', { issuer, subject })
          .getOne(),
      );
      return found === null ? undefined : accountOf(found);
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
