import { CLICK_RETENTION_DAYS, type DayClicks, type LinkClicks, OPERATOR, TOP_LINKS } from '@waypost/domain';
import { calling, type Database, inPieces, inTransaction, PIECE, rows } from '@waypost/postgres';
import { aboutAccount, storeNotes } from '../audit/index.ts';
import type { LinkImports } from './link-imports.port.ts';
import { newLinksArguments } from './links.sql.ts';

export function postgresLinkImports(db: Database, wakeOutbox: () => void): LinkImports {
  return {
    store: async (ownerId, imported, now) => {
      const clickRows = imported.flatMap(({ link: { slug }, days }) =>
        days.length === 0 ? [] : [{ slug, ...totalsOf(days) }],
      );
      const times = imported.map(({ link }) => link.createdAt);
      const insert = { ...newLinksArguments(ownerId, imported, now), times };
      const values = Object.values(insert);
      try {
        return await inTransaction(db, async (tx) => {
          const linkRows = await rows<{ slug: string }>(
            tx,
            `WITH new_links AS (SELECT slug FROM ${calling('insert_links', insert)} AS new_links (slug)),
           counted AS (SELECT * FROM json_to_recordset($${values.length + 1}::json)
             AS c (slug text, days json, first_day date, last_day date, totals bigint[]) JOIN new_links USING (slug)),
           of_links AS (
             INSERT INTO imported_clicks (slug, owner_id, first_day, last_day, totals)
             SELECT slug, $${values.length + 2}::uuid, first_day, last_day, totals FROM counted
           ),
           of_account AS (
             INSERT INTO imported_days (owner_id, day, clicks)
             SELECT $${values.length + 2}::uuid, key::date, sum(value::bigint) FROM counted, json_each_text(days)
             GROUP BY key ORDER BY key
             ON CONFLICT (owner_id, day) DO UPDATE SET clicks = imported_days.clicks + excluded.clicks
           )
           SELECT slug FROM new_links`,
            [...values, JSON.stringify(clickRows), ownerId],
          );
          const [first] = linkRows;
          if (first !== undefined) {
            const detail = `links: ${linkRows.length}, the first: ${first.slug}`;
            await storeNotes(tx, [aboutAccount(OPERATOR, 'account.links_imported', ownerId, detail)]);
          }
          return linkRows.map(({ slug }) => slug);
        });
      } finally {
        wakeOutbox();
      }
    },
    days: (slugs, { from, to }) => rows(db, OF_LINKS, [slugs, from, to]),
    ofAccount: async (ownerId, { from, to }) => {
      const [days, links] = await Promise.all([
        rows<DayClicks>(db, OF_ACCOUNT, [ownerId, from, to]),
        rows<LinkClicks>(db, TOP, [ownerId, from, to]),
      ]);
      return { days, links };
    },
    forget: async (now) => {
      const oldest = new Date(now.getTime() - CLICK_RETENTION_DAYS * DAY_MS).toISOString().slice(0, 10);
      for (const statement of FORGET) await inPieces(db, statement, [oldest]);
    },
  };
}

const DAY_MS = 86_400_000;

function totalsOf(days: readonly DayClicks[]) {
  const byDay = new Map(days.map(({ date, clicks }) => [date, clicks]));
  const dates = [...byDay.keys()].sort();
  const [first, last] = [dates[0]!, dates.at(-1)!];
  const totals: number[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += DAY_MS)
    totals.push((totals.at(-1) ?? 0) + (byDay.get(new Date(at).toISOString().slice(0, 10)) ?? 0));
  return { days: Object.fromEntries(byDay), first_day: first, last_day: last, totals };
}

const OF_LINKS = `
SELECT slug, to_char(first_day + n - 1, 'YYYY-MM-DD') AS date, (totals[n] - coalesce(totals[n - 1], 0))::float8 AS clicks
FROM imported_clicks,
  generate_series(greatest($2::date - first_day + 1, 1), least($3::date - first_day + 1, cardinality(totals))) AS n
WHERE slug = ANY($1::text[]) AND totals[n] > coalesce(totals[n - 1], 0)`;

const OF_ACCOUNT = `
SELECT to_char(day, 'YYYY-MM-DD') AS date, clicks::float8 AS clicks FROM imported_days
WHERE owner_id = $1 AND day BETWEEN $2::date AND $3::date`;

const TOP = `
SELECT slug, clicks::float8 AS clicks FROM (
  SELECT slug, coalesce(totals[least($3::date - first_day + 1, cardinality(totals))], 0)
    - coalesce(totals[$2::date - first_day], 0) AS clicks
  FROM imported_clicks WHERE owner_id = $1 AND last_day >= $2::date
) AS of_links
WHERE clicks > 0 ORDER BY clicks DESC, slug LIMIT ${TOP_LINKS}`;

const FORGET = [
  `DELETE FROM imported_days WHERE (owner_id, day) IN (
     SELECT owner_id, day FROM imported_days WHERE day < $1::date LIMIT ${PIECE}) RETURNING 1`,
  `DELETE FROM imported_clicks WHERE slug IN (
     SELECT slug FROM imported_clicks WHERE last_day < $1::date LIMIT ${PIECE}) RETURNING 1`,
  `UPDATE imported_clicks SET first_day = $1::date, totals = ARRAY(
     SELECT total - totals[$1::date - first_day]
     FROM unnest(totals[$1::date - first_day + 1:]) WITH ORDINALITY AS t (total, n) ORDER BY n)
   WHERE slug IN (SELECT slug FROM imported_clicks WHERE first_day < $1::date LIMIT ${PIECE}) RETURNING 1`,
];
