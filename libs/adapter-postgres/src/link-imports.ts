import { CLICK_RETENTION_DAYS, LINKS, type Link } from '@waypost/domain';
import type { LinkImports } from '@waypost/ports';
import { traceparent } from '@waypost/telemetry';
import type { DataSource } from 'typeorm';
import { inPieces, PIECE, rows } from './database.ts';
import { verdictsJson } from './link-store.ts';
import { wakeOutbox } from './outbox.ts';

export function postgresLinkImports(db: DataSource): LinkImports {
  return {
    store: async (imported) => {
      const links = imported.map(({ link }) => link);
      const of = <T>(read: (link: Link) => T) => links.map(read);
      const days = imported.flatMap(({ link: { slug }, days }) =>
        days.length === 0 ? [] : [{ slug, days: Object.fromEntries(days.map(({ date, clicks }) => [date, clicks])) }],
      );
      try {
        const values = [
          of(({ slug }) => slug),
          of(({ ownerId }) => ownerId),
          of(({ destinationUrl }) => destinationUrl),
          of(({ status }) => status),
          of(({ threatType }) => threatType),
          of(({ tags }) => JSON.stringify(tags)),
          of(({ createdAt }) => createdAt),
          of(({ scannedAt }) => scannedAt),
          of(({ scanGeneration }) => scanGeneration),
          imported.map(({ event }) => LINKS.encode(event)),
          verdictsJson(imported),
          JSON.stringify(days),
          LINKS.name,
          traceparent() ?? null,
          of(({ deepScan }) => deepScan),
          of(({ previewFirst }) => previewFirst),
        ];
        const stored = await rows<{ slug: string }>(db, STORE, values);
        return stored.map(({ slug }) => slug);
      } finally {
        wakeOutbox(db);
      }
    },
    days: (slug, { from, to }) =>
      rows(
        db,
        `SELECT key AS date, value::integer AS clicks FROM imported_clicks, jsonb_each_text(days)
         WHERE slug = $1 AND key COLLATE "C" BETWEEN $2 AND $3`,
        [slug, from, to],
      ),
    forget: async (now) => {
      await inPieces(db, FORGET, [now, CLICK_RETENTION_DAYS]);
      for (let after: string | null = ''; after !== null; ) {
        const [page]: { last: string | null }[] = await rows(db, FORGET_DAYS, [now, CLICK_RETENTION_DAYS, after]);
        after = page!.last;
      }
    },
  };
}

const FORGET = `
DELETE FROM imported_clicks WHERE slug IN (
  SELECT slug FROM imported_clicks WHERE last_day < $1::timestamptz - make_interval(days => $2) LIMIT ${PIECE}
) RETURNING 1`;

/** Of the next links after $3: their days that are too old. Resolves to the last of these links. */
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

/** In the order of the slugs, so that two batches never wait for each other, and one that died leaves nothing behind. */
const STORE = `
  WITH made AS (
    INSERT INTO links (slug, owner_id, destination_url, status, threat_type, tags, created_at, updated_at, scanned_at, scan_generation, deep_scan, preview_first, version)
    SELECT n.slug, n.owner, n.url, n.status, n.threat_type, ARRAY(SELECT json_array_elements_text(n.tags::json)),
           n.created_at, n.created_at, n.scanned_at, n.generation, n.deep_scan, n.preview_first, 1
    FROM unnest($1::text[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::timestamptz[], $9::text[],
                $15::text[], $16::boolean[])
      AS n (slug, owner, url, status, threat_type, tags, created_at, scanned_at, generation, deep_scan, preview_first)
    ORDER BY n.slug COLLATE "C"
    ON CONFLICT (slug) DO NOTHING
    RETURNING id, slug, scanned_at, scan_generation
  ),
  judged AS (
    INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at)
    SELECT made.id, made.scan_generation, v.outcome, v.threat_type, v.reasons, made.scanned_at
    FROM json_to_recordset($11::json) AS v (slug text, outcome text, threat_type text, reasons jsonb) JOIN made USING (slug)
  ),
  counted AS (
    INSERT INTO imported_clicks (slug, days, last_day)
    SELECT slug, d.days, (SELECT max(day) FROM jsonb_object_keys(d.days) AS day)::date
    FROM json_to_recordset($12::json) AS d (slug text, days jsonb) JOIN made USING (slug)
  ),
  told AS (
    INSERT INTO outbox (topic, key, value, traceparent)
    SELECT $13::text, slug, e.value, $14::text FROM unnest($1::text[], $10::text[]) AS e (slug, value) JOIN made USING (slug)
  )
  SELECT slug FROM made`;
