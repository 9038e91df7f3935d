import { rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import { LINK_COLUMNS, type LinkRow, linkOf } from '../links/link-lists.sql.ts';
import type { Case } from '../moderation/case.ts';
import { CASE_COLUMNS } from '../moderation/cases.sql.ts';
import { DETAILS } from '../accounts/account-rows.sql.ts';
import type { AccountDetails } from '../accounts/accounts.port.ts';
import type { LinkPlace } from './deletions.port.ts';
import type { PersonalData, PersonalRecords } from './personal-data.port.ts';

const ENTRIES_MAX = 1_000;

/** Returns the query for one page of an account's links. The order of creation has an index. */
export const linksAfter = (accountId: string, after: LinkPlace | undefined, limit: number) => ({
  text: `SELECT ${LINK_COLUMNS} FROM links
    WHERE owner_id = $1 AND (created_at, slug) > (coalesce($2, '-infinity'::timestamptz), $3)
    ORDER BY created_at, slug LIMIT $4`,
  values: [accountId, after?.createdAt ?? null, after?.slug ?? '', limit],
});

export function postgresPersonalData(db: DataSource): PersonalData {
  return {
    records: async (accountId) => {
      const sql = `SELECT ${DETAILS} FROM accounts a WHERE a.id = $1`;
      const [account] = await rows<AccountDetails>(db, sql, [accountId]);
      if (account === undefined) return undefined;
      const cases = await rows<Case>(
        db,
        `SELECT ${CASE_COLUMNS} FROM cases WHERE account_id = $1 ORDER BY id DESC LIMIT $2`,
        [accountId, ENTRIES_MAX],
      );
      const entries = (column: string) =>
        `(SELECT id, at, actor_id, via, action, subject, detail FROM audit_log WHERE ${column} = $1 ORDER BY id DESC LIMIT $2)`;
      const audit = await rows<PersonalRecords['audit'][number]>(
        db,
        `SELECT at, CASE WHEN actor_id = $1 THEN 'you' WHEN via = 'operator' THEN 'operator'
             WHEN actor_id IS NULL THEN 'somebody' ELSE 'administrator' END AS actor,
           action, subject, detail
         FROM (${entries('account_id')} UNION ${entries('actor_id')}) AS entries ORDER BY id DESC LIMIT $2`,
        [accountId, ENTRIES_MAX],
      );
      return { account, cases, audit };
    },
    links: async (accountId, after, limit) => {
      const { text, values } = linksAfter(accountId, after, limit);
      return (await rows<LinkRow>(db, text, values)).map(linkOf);
    },
  };
}
