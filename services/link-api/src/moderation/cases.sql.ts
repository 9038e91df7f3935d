import { DomainError } from '@waypost/domain';
import { binding, type Database, deleteInPieces, inTransaction, rows } from '@waypost/postgres';
import { storeNotes } from '../audit/index.ts';
import { linkOf, lockLinks, queueEvents } from '../links/index.ts';
import { storeNotice } from '../notices/index.ts';
import { CASE_KEPT_MS, CASE_KINDS, type Case, caseNotFound, OPEN_CASES_MAX } from './case.ts';
import type { Cases, ListedCase, WaitingCases } from './cases.port.ts';

const CASE_COLUMNS = `number, kind, slug, category, message, account_id AS "accountId", state, reason,
  created_at AS "createdAt", decided_at AS "decidedAt"`;

const LOCK = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
const OLD = { table: 'cases', key: 'id', condition: 'decided_at <= $1' };
const FIND = `SELECT ${CASE_COLUMNS} FROM cases WHERE number = $1`;

export function postgresCases(db: Database, wakeOutbox: () => void): Cases {
  /** Decisions run one at a time. Each holds a connection while its change needs others, so many could use them all. */
  let last: Promise<unknown> = Promise.resolve();
  const decideNow: Cases['decide'] = (number, { state, reason }, notes, change) =>
    inTransaction(db, async (tx) => {
      // This must not lock the case's row: a deletion of an account locks links and then waits for rows of cases.
      await tx.query(LOCK, [`decision ${number}`]);
      const [row] = await rows<Case>(tx, FIND, [number]);
      if (row === undefined) throw caseNotFound(number);
      if (row.state !== 'open') throw new DomainError('case_decided', `The case ${number} is already decided.`);
      await change(row);
      const [decided] = await rows<Case>(
        tx,
        `UPDATE cases SET state = $2, reason = $3, decided_at = now() WHERE number = $1 RETURNING ${CASE_COLUMNS}`,
        [number, state, reason],
      );
      const [link] = await rows<{ owner_id: string }>(tx, 'SELECT owner_id FROM links WHERE slug = $1', [row.slug]);
      await storeNotes(tx, notes({ decided: decided!, ownerId: link?.owner_id }));
      return decided!;
    });
  return {
    find: async (number) => (await rows<Case>(db, FIND, [number]))[0],
    open: ({ number, kind, slug, category, message, accountId }, { event, notice }) =>
      inTransaction(db, async (tx) => {
        // This lock makes the count exact: only one case of a kind about a link is filed at a time.
        await tx.query(LOCK, [`${kind} ${slug}`]);
        const openCases = await rows<Case>(
          tx,
          `SELECT ${CASE_COLUMNS} FROM cases
           WHERE slug = $1 AND kind = $2 AND state = 'open' AND account_id IS NOT DISTINCT FROM $3
           ORDER BY category IS NOT DISTINCT FROM $4 DESC, id LIMIT $5`,
          [slug, kind, accountId, category, OPEN_CASES_MAX],
        );
        const isFull = openCases.length === (accountId === null ? OPEN_CASES_MAX : 1);
        const [row] = isFull
          ? openCases
          : await rows<Case>(
              tx,
              `INSERT INTO cases (number, kind, slug, category, message, account_id) VALUES ($1, $2, $3, $4, $5, $6)
               RETURNING ${CASE_COLUMNS}`,
              [number, kind, slug, category, message, accountId],
            );
        if (!isFull) await storeNotice(tx, notice(row!));
        if (event !== undefined) {
          // Locking the link keeps this event in order with the events of its changes.
          const [link] = await lockLinks(tx, [slug]);
          if (link !== undefined) await queueEvents(tx, [{ event: event(linkOf(link)) }]);
        }
        return row!;
      }).finally(() => event && wakeOutbox()),
    waiting: async () => {
      const counts = await rows<WaitingCases>(
        db,
        `SELECT kind, count(*)::integer AS open, min(created_at) AS "oldestAt" FROM cases WHERE state = 'open' GROUP BY kind`,
        [],
      );
      return CASE_KINDS.map((kind) => counts.find((each) => each.kind === kind) ?? { kind, open: 0, oldestAt: null });
    },
    forget: (now) => deleteInPieces(db, OLD, [new Date(now.getTime() - CASE_KEPT_MS)]),
    list: ({ limit, before, ...only }) => {
      const { values, bind } = binding();
      const conditions = ['true'];
      if (before !== undefined) conditions.push(`id < ${bind(before)}::bigint`);
      if (only.kind !== undefined) conditions.push(`kind = ${bind(only.kind)}`);
      if (only.state !== undefined) conditions.push(`state = ${bind(only.state)}`);
      if (only.slug !== undefined) conditions.push(`slug = ${bind(only.slug)}`);
      if (only.accountId !== undefined) conditions.push(`account_id = ${bind(only.accountId)}`);
      if (only.decidedSince !== undefined) conditions.push(`decided_at >= ${bind(only.decidedSince)}`);
      return rows<ListedCase>(
        db,
        `SELECT id::text, ${CASE_COLUMNS} FROM cases WHERE ${conditions.join(' AND ')} ORDER BY cases.id DESC LIMIT ${bind(limit)}`,
        values,
      );
    },
    decide: (number, { state, reason }, notes, change) => {
      const decision = last.then(() => decideNow(number, { state, reason }, notes, change));
      last = decision.catch(() => undefined);
      return decision;
    },
  };
}
