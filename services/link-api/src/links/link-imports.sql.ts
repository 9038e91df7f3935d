import { CLICK_RETENTION_DAYS, OPERATOR, TOP_LINKS } from '@waypost/domain';
import { calling, inPieces, inTransaction, PIECE, rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import { aboutAccount, storeNotes } from '../audit/index.ts';
import type { LinkImports } from './link-imports.port.ts';
import { newLinksArguments } from './links.sql.ts';

/** The sum of a day or of a link. */
interface Sum {
  readonly date: string | null;
  readonly slug: string | null;
  readonly clicks: number;
}

export function postgresLinkImports(db: DataSource, wakeOutbox: () => void): LinkImports {
  return {
    store: async (ownerId, imported, now) => {
      const days = imported.flatMap(({ link: { slug }, days }) =>
        days.length === 0 ? [] : [{ slug, days: Object.fromEntries(days.map(({ date, clicks }) => [date, clicks])) }],
      );
      const times = imported.map(({ link }) => link.createdAt);
      const insert = { ...newLinksArguments(ownerId, imported, now), times };
      const values = Object.values(insert);
      try {
        return await inTransaction(db, async (tx) => {
          const stored = await rows<{ slug: string }>(
            tx,
            `WITH made AS (SELECT slug FROM ${calling('insert_links', insert)} AS made (slug)),
           counted AS (
             INSERT INTO imported_clicks (slug, owner_id, days, last_day)
             SELECT slug, $${values.length + 2}::uuid, d.days,
               (SELECT max(day) FROM jsonb_object_keys(d.days) AS day)::date
             FROM json_to_recordset($${values.length + 1}::json) AS d (slug text, days jsonb) JOIN made USING (slug)
           )
           SELECT slug FROM made`,
            [...values, JSON.stringify(days), ownerId],
          );
          const [first] = stored;
          if (first !== undefined) {
            const detail = `links: ${stored.length}, the first: ${first.slug}`;
            await storeNotes(tx, [aboutAccount(OPERATOR, 'account.links_imported', ownerId, detail)]);
          }
          return stored.map(({ slug }) => slug);
        });
      } finally {
        wakeOutbox();
      }
    },
    days: (slugs, { from, to }) =>
      rows(
        db,
        `SELECT slug, key AS date, value::integer AS clicks FROM imported_clicks, jsonb_each_text(days)
         WHERE slug = ANY($1::text[]) AND key COLLATE "C" BETWEEN $2 AND $3`,
        [slugs, from, to],
      ),
    ofAccount: async (ownerId, { from, to }) => {
      const sums = await rows<Sum>(db, OF_ACCOUNT, [ownerId, from, to]);
      return {
        days: sums.flatMap(({ date, clicks }) => (date === null ? [] : [{ date, clicks }])),
        links: sums.flatMap(({ slug, clicks }) => (slug === null ? [] : [{ slug, clicks }])),
      };
    },
    forget: async (now) => {
      await inPieces(db, FORGET, [now, CLICK_RETENTION_DAYS]);
      for (let after: string | null = ''; after !== null; ) {
        const [page]: { last: string | null }[] = await rows(db, FORGET_DAYS, [now, CLICK_RETENTION_DAYS, after]);
        after = page!.last;
      }
    },
  };
}

const OF_ACCOUNT = `
WITH counted AS MATERIALIZED (
  SELECT slug, key AS date, value::integer AS clicks FROM imported_clicks, jsonb_each_text(days)
  WHERE owner_id = $1 AND last_day >= $2::text::date AND key COLLATE "C" BETWEEN $2 AND $3
)
SELECT date, NULL AS slug, sum(clicks)::integer AS clicks FROM counted GROUP BY date
UNION ALL
(SELECT NULL, slug, sum(clicks)::integer FROM counted GROUP BY slug ORDER BY 3 DESC, 2 LIMIT ${TOP_LINKS})`;

const FORGET = `
DELETE FROM imported_clicks WHERE slug IN (
  SELECT slug FROM imported_clicks WHERE last_day < $1::timestamptz - make_interval(days => $2) LIMIT ${PIECE}
) RETURNING 1`;

/** Deletes expired days of the next links after $3. Returns the last of these links. */
const FORGET_DAYS = `
WITH page AS (SELECT slug, days FROM imported_clicks WHERE slug > $3 ORDER BY slug LIMIT 500),
kept AS (
  SELECT slug, (
    SELECT jsonb_object_agg(key, value) FROM jsonb_each(days)
    WHERE key::date >= $1::timestamptz - make_interval(days => $2)
  ) AS days
  FROM page
  WHERE (SELECT min(day) FROM jsonb_object_keys(days) AS day)::date < $1::timestamptz - make_interval(days => $2)
),
changed AS (UPDATE imported_clicks i SET days = kept.days FROM kept WHERE i.slug = kept.slug AND kept.days IS NOT NULL)
SELECT max(slug) AS last FROM page`;
