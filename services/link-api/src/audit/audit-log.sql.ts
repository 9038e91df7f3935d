import { binding, type Database, type Queries, rows } from '@waypost/postgres';
import type { AuditEntry, AuditLog, PersonalEntry } from './audit-log.port.ts';
import type { AuditNote } from './note.ts';

type Db = Queries;

export async function storeNotes(
  db: Db,
  notes: readonly AuditNote[],
  outcome: AuditEntry['outcome'] = 'done',
): Promise<void> {
  const entries = notes.map(({ by, action, subject, accountId = null, detail }) => ({
    actor_id: by.accountId,
    via: by.via,
    credential: by.credential,
    action,
    subject,
    account_id: accountId,
    outcome,
    detail: detail ?? '',
  }));
  await rows(
    db,
    `INSERT INTO audit_log (actor_id, via, credential, action, subject, account_id, outcome, detail)
     SELECT actor_id, via, credential, action, subject, account_id, outcome, detail
     FROM json_to_recordset($1) AS n (actor_id uuid, via text, credential text, action text, subject text,
       account_id uuid, outcome text, detail text)`,
    [JSON.stringify(entries)],
  );
}

const entriesWith = (column: string) =>
  `(SELECT id, at, actor_id, via, action, subject, detail FROM audit_log WHERE ${column} = $1 ORDER BY id DESC LIMIT $2)`;

const ABOUT = `
SELECT at, CASE WHEN actor_id = $1 THEN 'you' WHEN via = 'operator' THEN 'operator'
    WHEN actor_id IS NULL THEN 'somebody' ELSE 'administrator' END AS actor,
  action, subject, detail
FROM (${entriesWith('account_id')} UNION ${entriesWith('actor_id')}) AS entries ORDER BY id DESC LIMIT $2`;

export function postgresAuditLog(db: Database): AuditLog {
  return {
    note: (note) => storeNotes(db, [note]),
    read: async (note) => {
      const { by, action, subject } = note;
      const [recent] = await rows(
        db,
        `SELECT FROM audit_log WHERE subject = $1 AND action = $2 AND actor_id IS NOT DISTINCT FROM $3
           AND at > now() - interval '1 hour' LIMIT 1`,
        [subject, action, by.accountId],
      );
      if (recent === undefined) await storeNotes(db, [note]);
    },
    refused: ({ subject, ...refused }) =>
      // Addresses are in lower case, as in accounts, so that deleting an account finds them.
      storeNotes(db, [{ ...refused, subject: subject.includes('@') ? subject.toLowerCase() : subject }], 'refused'),
    about: (accountId, limit) => rows<PersonalEntry>(db, ABOUT, [accountId, limit]),
    list: async ({ limit, before, since, actor, action, subject }) => {
      const { values, bind } = binding();
      const accountOf = (email: string) => `(SELECT id FROM accounts WHERE email = lower(${bind(email)}))`;
      const conditions = ['true'];
      if (before !== undefined)
        conditions.push(`(l.at, l.id) < (SELECT at, id FROM audit_log WHERE id = ${bind(before)}::bigint)`);
      if (since !== undefined) conditions.push(`l.at >= ${bind(since)}`);
      if (action !== undefined) conditions.push(`l.action = ${bind(action)}`);
      if (actor !== undefined)
        conditions.push(actor.includes('@') ? `l.actor_id = ${accountOf(actor)}` : `l.via = ${bind(actor)}`);
      if (subject !== undefined)
        conditions.push(
          subject.includes('@') ? `l.account_id = ${accountOf(subject)}` : `l.subject = ${bind(subject)}`,
        );
      return rows<AuditEntry>(
        db,
        `SELECT l.id::text, l.at, coalesce(a.email, l.actor_id::text, l.via) AS actor, l.via, l.credential, l.action,
           CASE WHEN l.subject = l.account_id::text THEN coalesce(o.email, l.subject) ELSE l.subject END AS subject,
           o.email AS account, l.outcome, l.detail
         FROM audit_log l LEFT JOIN accounts a ON a.id = l.actor_id LEFT JOIN accounts o ON o.id = l.account_id
         WHERE ${conditions.join(' AND ')} ORDER BY l.at DESC, l.id DESC LIMIT ${bind(limit)}`,
        values,
      );
    },
  };
}
