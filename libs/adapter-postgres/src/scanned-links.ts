import type { ScannedLink, ScannedLinks } from '@waypost/ports';
import type { DataSource } from 'typeorm';
import { prepared, rows } from './database.ts';

const FILE = `
WITH filed AS (
  INSERT INTO scanner_links (slug, destination_url, keys)
  SELECT slug, destination_url, keys::bigint[]
  FROM unnest($1::text[], $2::text[], $3::text[]) AS new (slug, destination_url, keys)
  ON CONFLICT (slug) DO NOTHING
  RETURNING id, keys
)
INSERT INTO scanner_keys (key, link_id) SELECT unnest(keys), id FROM filed`;

const DROP = `
WITH dropped AS (DELETE FROM scanner_links WHERE slug = ANY($1::text[]) RETURNING id, keys)
DELETE FROM scanner_keys k USING (SELECT unnest(keys) AS key, id FROM dropped) d
WHERE k.key = d.key AND k.link_id = d.id`;

const MATCHING = `
SELECT slug, destination_url AS "destinationUrl" FROM scanner_links
WHERE slug > $2 AND id IN (SELECT link_id FROM scanner_keys WHERE key = ANY($1::bigint[]))
ORDER BY slug LIMIT $3`;

const ALL = `
SELECT slug, destination_url AS "destinationUrl" FROM scanner_links WHERE slug > $1 ORDER BY slug LIMIT $2`;

/** `database` may throw while the database is not available; each method then rejects with that error. */
export function postgresScannedLinks(database: () => DataSource): ScannedLinks {
  return {
    file: async (links) => {
      await prepared(database(), 'file-links', FILE, [
        links.map(({ slug }) => slug),
        links.map(({ destinationUrl }) => destinationUrl),
        links.map(({ keys }) => `{${keys.join(',')}}`),
      ]);
    },
    drop: async (slugs) => {
      await prepared(database(), 'drop-links', DROP, [slugs]);
    },
    matching: async (keys, { after, limit }) => rows<ScannedLink>(database(), MATCHING, [keys, after, limit]),
    all: async ({ after, limit }) => rows<ScannedLink>(database(), ALL, [after, limit]),
  };
}
