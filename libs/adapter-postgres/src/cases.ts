import { type Case, caseNotFound, DomainError, OPEN_CASES_MAX } from '@waypost/domain';
import type { Cases, ListedCase } from '@waypost/ports';
import type { DataSource } from 'typeorm';
import { noteChange } from './audit-log.ts';
import { binding, inTransaction, rows } from './database.ts';
import { linkOf } from './link-lists.ts';
import { lockLinks, queueEvents } from './link-store.ts';
import { wakeOutbox } from './outbox.ts';

export const CASE_COLUMNS = `number, kind, slug, category, message, account_id AS "accountId", state, reason,
  created_at AS "createdAt", decided_at AS "decidedAt"`;

/** For the rest of the transaction. */
const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
const FIND = `SELECT ${CASE_COLUMNS} FROM cases WHERE number = $1`;

export function postgresCases(db: DataSource): Cases {
  /** One decision at a time: each holds a connection while its change takes others. */
  let last: Promise<unknown> = Promise.resolve();
  const decideNow: Cases['decide'] = (number, { state, reason }, by, change) =>
    inTransaction(db, async (tx) => {
      // The row itself stays free: the deletion of an account holds links while it waits for rows of cases.
      await tx.query(LOCK, [`decision ${number}`]);
      const [found] = await rows<Case>(tx, FIND, [number]);
      if (found === undefined) throw caseNotFound(number);
      if (found.state !== 'open') throw new DomainError('case_decided', `The case ${number} is decided already.`);
      await change(found);
      const [decided] = await rows<Case>(
        tx,
        `UPDATE cases SET state = $2, reason = $3, decided_at = now() WHERE number = $1 RETURNING ${CASE_COLUMNS}`,
        [number, state, reason],
      );
      const { kind, slug } = found;
      const [link] = await rows<{ owner_id: string }>(tx, 'SELECT owner_id FROM links WHERE slug = $1', [slug]);
      await noteChange(tx, {
        by,
        action: 'case.decided',
        subject: number,
        ...(link && { accountId: link.owner_id }),
        detail: `${kind} of ${slug} ${state}: ${reason}`,
      });
      return decided!;
    });
  return {
    find: async (number) => (await rows<Case>(db, FIND, [number]))[0],
    open: ({ number, kind, slug, category, message, accountId }, announce) =>
      inTransaction(db, async (tx) => {
        // One after the other for each link, so that the count is exact.
        await tx.query(LOCK, [`${kind} ${slug}`]);
        const open = await rows<Case>(
          tx,
          `SELECT ${CASE_COLUMNS} FROM cases
           WHERE slug = $1 AND kind = $2 AND state = 'open' AND account_id IS NOT DISTINCT FROM $3 LIMIT $4`,
          [slug, kind, accountId, OPEN_CASES_MAX],
        );
        if (accountId !== null && open[0] !== undefined) return open[0];
        if (open.length === OPEN_CASES_MAX)
          throw new DomainError('too_many_cases', `There are ${OPEN_CASES_MAX} open cases about this link already.`);
        const [made] = await rows<Case>(
          tx,
          `INSERT INTO cases (number, kind, slug, category, message, account_id) VALUES ($1, $2, $3, $4, $5, $6)
           RETURNING ${CASE_COLUMNS}`,
          [number, kind, slug, category, message, accountId],
        );
        if (announce !== undefined) {
          // Under its lock, so that the event is in order with those of its changes.
          const [row] = await lockLinks(tx, [slug]);
          if (row !== undefined) await queueEvents(tx, [{ event: announce(linkOf(row)) }]);
        }
        return made!;
      }).finally(() => announce && wakeOutbox(db)),
    list: ({ limit, before, ...only }) => {
      const { values, bind } = binding();
      const conditions = ['true'];
      if (before !== undefined) conditions.push(`id < ${bind(before)}::bigint`);
      if (only.kind !== undefined) conditions.push(`kind = ${bind(only.kind)}`);
      if (only.state !== undefined) conditions.push(`state = ${bind(only.state)}`);
      if (only.slug !== undefined) conditions.push(`slug = ${bind(only.slug)}`);
      return rows<ListedCase>(
        db,
        `SELECT id::text, ${CASE_COLUMNS} FROM cases WHERE ${conditions.join(' AND ')} ORDER BY cases.id DESC LIMIT ${bind(limit)}`,
        values,
      );
    },
    decide: (number, { state, reason }, by, change) => {
      const decision = last.then(() => decideNow(number, { state, reason }, by, change));
      last = decision.catch(() => undefined);
      return decision;
    },
  };
}
