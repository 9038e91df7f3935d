import { rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import type { ClaimedDeepScan, DeepScanQueue } from './deep-scan-queue.port.ts';

const ADD = `
WITH new AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS n (slug, destination_url, site, place)
  WHERE NOT EXISTS (SELECT FROM deep_scans WHERE slug = n.slug)
), added AS (
  INSERT INTO deep_scans (slug, destination_url, site, due_at)
  SELECT slug, destination_url, site, $5 FROM new
  ORDER BY place LIMIT greatest(0, $4::bigint - (SELECT count(*) FROM deep_scans))
  ON CONFLICT (slug) DO NOTHING
  RETURNING slug
)
SELECT slug FROM new WHERE slug NOT IN (SELECT slug FROM added)`;

/** Bounds the query where many links wait for one site. */
const LOOKED_AT = 1_000;

/** `due_at` is compared again under the row's lock, so concurrent claims do not share a row. */
const CLAIM = `
UPDATE deep_scans d SET due_at = $1::timestamptz + make_interval(secs => $4), attempts = attempts + 1
FROM (
  SELECT slug FROM (
    SELECT DISTINCT ON (site) slug, due_at FROM (
      SELECT slug, site, due_at FROM deep_scans WHERE due_at <= $1 AND site <> ALL($2::text[])
      ORDER BY due_at LIMIT ${LOOKED_AT}
    ) head ORDER BY site, due_at
  ) first ORDER BY due_at LIMIT $3
) picked
WHERE d.slug = picked.slug AND d.due_at <= $1
RETURNING d.slug, d.destination_url AS "destinationUrl", d.site, d.attempts`;

const POSTPONE = 'UPDATE deep_scans SET due_at = $2, site = coalesce($3, site) WHERE slug = $1';

/** `database` may throw while the database is not available; each method then rejects with that error. */
export function postgresDeepScanQueue(database: () => DataSource): DeepScanQueue {
  return {
    add: async (links, most, now) => {
      const excessLinks = await rows<{ slug: string }>(database(), ADD, [
        links.map(({ slug }) => slug),
        links.map(({ destinationUrl }) => destinationUrl),
        links.map(({ site }) => site),
        most,
        now,
      ]);
      return excessLinks.map(({ slug }) => slug);
    },
    drop: async (slugs) => {
      await rows(database(), 'DELETE FROM deep_scans WHERE slug = ANY($1::text[])', [slugs]);
    },
    claim: async ({ limit, busySites, leaseMs }, now) =>
      rows<ClaimedDeepScan>(database(), CLAIM, [now, busySites, limit, leaseMs / 1000]),
    postpone: async (slug, until, busySite) => {
      await rows(database(), POSTPONE, [slug, until, busySite ?? null]);
    },
    backlog: async () => {
      const [row] = await rows<{ waiting: number }>(
        database(),
        'SELECT count(*)::integer AS waiting FROM deep_scans',
        [],
      );
      return row!;
    },
  };
}
