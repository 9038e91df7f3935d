import { type Database, prepared, rows } from '@waypost/postgres';
import type { FiledLink, ScannedLink, ScannedLinks } from './scanned-links.port.ts';

/** `xmax` is 0 in a row that is new. The keys of other rows are filed already. */
const FILE = `
WITH filed AS (
  INSERT INTO scanner_links AS old (slug, destination_url, keys, flagged)
  SELECT slug, destination_url, keys::bigint[], flagged
  FROM unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) AS new (slug, destination_url, keys, flagged)
  ON CONFLICT (slug) DO UPDATE SET flagged = excluded.flagged WHERE old.flagged <> excluded.flagged
  RETURNING id, keys, xmax = 0 AS inserted
)
INSERT INTO scanner_keys (key, link_id) SELECT unnest(keys), id FROM filed WHERE inserted`;

/** The join has the old keys, which are deleted. */
const REFILE = `
WITH changed AS (
  UPDATE scanner_links l SET keys = n.keys::bigint[]
  FROM unnest($1::text[], $2::text[]) AS n (slug, keys) JOIN scanner_links old USING (slug)
  WHERE l.id = old.id AND old.keys <> n.keys::bigint[]
  RETURNING l.id, l.keys, old.keys AS before
),
gone AS (
  DELETE FROM scanner_keys k USING (SELECT id, unnest(before) AS key, keys FROM changed) c
  WHERE k.key = c.key AND k.link_id = c.id AND c.key <> ALL (c.keys)
)
INSERT INTO scanner_keys (key, link_id)
SELECT key, id FROM (SELECT id, unnest(keys) AS key, before FROM changed) c WHERE key <> ALL (before)`;

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
SELECT slug, destination_url AS "destinationUrl", flagged FROM scanner_links WHERE slug > $1 ORDER BY slug LIMIT $2`;

/** `database` may throw while the database is not available; each method then rejects with that error. */
export function postgresScannedLinks(database: () => Database): ScannedLinks {
  return {
    file: async (links) => {
      await prepared(database(), 'file-links', FILE, [
        links.map(({ slug }) => slug),
        links.map(({ destinationUrl }) => destinationUrl),
        links.map(keysText),
        links.map(({ flagged }) => flagged),
      ]);
    },
    refile: async (links) => {
      await rows(database(), REFILE, [links.map(({ slug }) => slug), links.map(keysText)]);
    },
    drop: async (slugs) => {
      await prepared(database(), 'drop-links', DROP, [slugs]);
    },
    matching: async (keys, { after, limit }, which = 'active') =>
      rows<ScannedLink>(database(), MATCHING, [keys, after, limit, which === 'flagged']),
    find: async (slugs) => rows<ScannedLink>(database(), FIND, [slugs]),
    all: async ({ after, limit }) => rows<ScannedLink & { flagged: boolean }>(database(), ALL, [after, limit]),
  };
}

const keysText = ({ keys }: Pick<FiledLink, 'keys'>) => `{${[...new Set(keys)].join(',')}}`;
