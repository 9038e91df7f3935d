import { type Database, rows } from '@waypost/postgres';
import type { DueRecheck, RecheckQueue } from './recheck-queue.port.ts';

const ADD = `
INSERT INTO scanner_looks AS old (slug, due_at)
SELECT DISTINCT slug, $2::timestamptz FROM unnest($1::text[]) AS new (slug)
ON CONFLICT (slug) DO UPDATE SET due_at = excluded.due_at WHERE old.due_at > excluded.due_at`;

const TAKE = `
WITH due AS (
  SELECT slug FROM scanner_looks WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
),
gone AS (
  DELETE FROM scanner_looks USING due
  WHERE scanner_looks.slug = due.slug AND NOT EXISTS (SELECT FROM scanner_links l WHERE l.slug = due.slug)
)
UPDATE scanner_looks o SET due_at = $3, tries = tries + 1
FROM due JOIN scanner_links l USING (slug) WHERE o.slug = due.slug
RETURNING l.slug, l.destination_url AS "destinationUrl", l.flagged, o.tries`;

/** A link that was added meanwhile is due earlier. */
const TAKEN = 'slug = ANY($1::text[]) AND due_at = $2';

const ADD_FOR_HOSTS = `
WITH old AS (DELETE FROM scanner_hosts WHERE looked_at < $4 AND host <> ALL($1::text[])),
new AS (SELECT DISTINCT ON (host) host, slug FROM unnest($1::text[], $2::text[]) AS n (host, slug)),
claimed AS (
  INSERT INTO scanner_hosts AS old (host, looked_at) SELECT host, $3::timestamptz FROM new ORDER BY host
  ON CONFLICT (host) DO UPDATE SET looked_at = excluded.looked_at WHERE old.looked_at < $4
  RETURNING host
),
added AS (
  INSERT INTO scanner_looks AS old (slug, due_at) SELECT slug, $3::timestamptz FROM new JOIN claimed USING (host)
  ORDER BY slug
  ON CONFLICT (slug) DO UPDATE SET due_at = excluded.due_at WHERE old.due_at > excluded.due_at
)
SELECT count(*)::integer AS added FROM claimed`;

/** `database` may throw while the database is not available; each method then rejects with that error. */
export function postgresRecheckQueue(database: () => Database): RecheckQueue {
  return {
    add: async (slugs, at) => {
      await rows(database(), ADD, [slugs, at]);
    },
    take: async (now, limit, until) => rows<DueRecheck>(database(), TAKE, [now, limit, until]),
    finish: async (slugs, until) => {
      await rows(database(), `DELETE FROM scanner_looks WHERE ${TAKEN}`, [slugs, until]);
    },
    putBack: async (slugs, until, at) => {
      await rows(database(), `UPDATE scanner_looks SET due_at = $3 WHERE ${TAKEN}`, [slugs, until, at]);
    },
    addForHosts: async (links, now, since) => {
      const hosts = links.map(({ host }) => host);
      const slugs = links.map(({ slug }) => slug);
      const [counted] = await rows<{ added: number }>(database(), ADD_FOR_HOSTS, [hosts, slugs, now, since]);
      return counted!.added;
    },
  };
}
