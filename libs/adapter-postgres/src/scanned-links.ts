import type { ScannedLink, ScannedLinks } from '@waypost/ports';
import type { DataSource } from 'typeorm';
import { prepared, rows } from './database.ts';
import { textArray } from './text-array.ts';

/** `xmax` is 0 in a row that was inserted: the keys of one that was there are filed already. */
const FILE = `
WITH filed AS (
  INSERT INTO scanner_links AS old (slug, destination_url, keys, flagged)
  SELECT slug, destination_url, keys::bigint[], flagged
  FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) AS new (slug, destination_url, keys, flagged)
  ON CONFLICT (slug) DO UPDATE SET flagged = excluded.flagged WHERE old.flagged <> excluded.flagged
  RETURNING id, keys, xmax = 0 AS inserted
)
INSERT INTO scanner_keys (key, link_id) SELECT unnest(keys), id FROM filed WHERE inserted`;

const DROP = `
WITH dropped AS (DELETE FROM scanner_links WHERE slug = ANY($1::text[]) RETURNING id, keys)
DELETE FROM scanner_keys k USING (SELECT unnest(keys) AS key, id FROM dropped) d
WHERE k.key = d.key AND k.link_id = d.id`;

const MATCHING = `
SELECT slug, destination_url AS "destinationUrl" FROM scanner_links
WHERE slug > $2 AND flagged = $4 AND id IN (SELECT link_id FROM scanner_keys WHERE key = ANY($1::bigint[]))
ORDER BY slug LIMIT $3`;

const FIND = `
SELECT slug, destination_url AS "destinationUrl" FROM scanner_links WHERE slug = ANY($1::text[]) AND NOT flagged`;

const ALL = `
SELECT slug, destination_url AS "destinationUrl" FROM scanner_links WHERE slug > $1 AND NOT flagged ORDER BY slug LIMIT $2`;

/** `database` may throw while the database is not available; each method then rejects with that error. */
export function postgresScannedLinks(database: () => DataSource): ScannedLinks {
  return {
    file: async (links) => {
      await prepared(database(), 'file-links', FILE, [
        textArray(links.map(({ slug }) => slug)),
        textArray(links.map(({ destinationUrl }) => destinationUrl)),
        textArray(links.map(({ keys }) => `{${[...new Set(keys)].join(',')}}`)),
        links.map(({ flagged }) => flagged),
      ]);
    },
    drop: async (slugs) => {
      await prepared(database(), 'drop-links', DROP, [slugs]);
    },
    matching: async (keys, { after, limit }, which = 'active') =>
      rows<ScannedLink>(database(), MATCHING, [keys, after, limit, which === 'flagged']),
    find: async (slugs) => rows<ScannedLink>(database(), FIND, [slugs]),
    all: async ({ after, limit }) => rows<ScannedLink>(database(), ALL, [after, limit]),
  };
}
