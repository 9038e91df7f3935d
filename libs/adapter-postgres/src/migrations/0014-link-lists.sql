-- What lists of an account's links are answered from (decision 0040).

-- How many links an account has in each status, and how far they are packed into link_texts. Its row is the lock under
-- which links of the account are inserted: their ids ascend in the order of their commits, so none is passed over.
CREATE TABLE link_counts (
  account_id     uuid PRIMARY KEY,
  active         integer NOT NULL DEFAULT 0,
  flagged        integer NOT NULL DEFAULT 0,
  revoked        integer NOT NULL DEFAULT 0,
  -- the greatest id of those that are packed
  packed_to      bigint NOT NULL DEFAULT 0,
  -- of the others: how many, and the earliest creation
  unpacked       integer NOT NULL DEFAULT 0,
  unpacked_since timestamptz(3) NOT NULL DEFAULT 'infinity'
) WITH (fillfactor = 50);

CREATE TABLE link_tag_counts (
  account_id uuid NOT NULL,
  tag        text COLLATE "C" NOT NULL,
  active     integer NOT NULL DEFAULT 0,
  flagged    integer NOT NULL DEFAULT 0,
  revoked    integer NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, tag)
) WITH (fillfactor = 80);

-- Slugs and destinations of some dozens of links in one text, in small letters, which a search reads as a whole. Neither
-- ever changes, until the account is deleted. A row fills a page, uncompressed.
CREATE TABLE link_texts (
  account_id uuid NOT NULL,
  id         bigint GENERATED ALWAYS AS IDENTITY,
  links      integer NOT NULL,
  -- what all of its lines have: a text in one of these pieces is in all links
  shared     text COLLATE "C" NOT NULL,
  ids        bigint[] NOT NULL,
  -- of each link a line: slug, U+0001, destination
  lines      text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, id)
) WITH (toast_tuple_target = 8160);

-- What all of some lines have in common, one piece on a line: of the words and numbers of the first, as many in a row as
-- all have. Of its first 300 characters: more costs more than it saves.
CREATE FUNCTION shared_pieces(lines text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  piece  text := '';
  pieces text := '';
  token  text;
BEGIN
  FOR token IN SELECT m[1] FROM regexp_matches(left(lines[1], 300), '[[:alpha:]]+[^[:alnum:]]*|[[:digit:]]+|[^[:alnum:]]+', 'g') AS m LOOP
    IF NOT EXISTS (SELECT FROM unnest(lines) AS line WHERE strpos(line, piece || token) = 0) THEN
      piece := piece || token;
    ELSE
      pieces := pieces || piece || CASE WHEN piece = '' THEN '' ELSE E'\n' END;
      piece := CASE WHEN EXISTS (SELECT FROM unnest(lines) AS line WHERE strpos(line, token) = 0) THEN '' ELSE token END;
    END IF;
  END LOOP;
  RETURN pieces || piece;
END
$$;

-- Packs links of an account whose ids are after one and up to another. In runs of 1,024, each sorted by destination, so
-- that neighbours share as much as they can.
CREATE FUNCTION pack_links(account uuid, after_id bigint, up_to bigint, since timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO link_texts (account_id, links, shared, ids, lines)
  SELECT account, cardinality(ids), shared_pieces(lines), ids, array_to_string(lines, E'\n')
  FROM (
    SELECT array_agg(id ORDER BY url, id) AS ids, array_agg(slug || E'\x01' || url ORDER BY url, id) AS lines
    FROM (
      SELECT run, id, slug, url, sum(octet_length(slug) + octet_length(url) + 12) OVER (PARTITION BY run ORDER BY url, id) / 7400 AS part
      FROM (
        SELECT id, lower(slug COLLATE pg_c_utf8) COLLATE "C" AS slug, lower(destination_url COLLATE pg_c_utf8) COLLATE "C" AS url,
               (row_number() OVER (ORDER BY id) - 1) / 1024 AS run
        FROM links WHERE owner_id = account AND id > after_id AND id <= up_to AND created_at >= since
      ) AS folded
    ) AS measured
    GROUP BY run, part ORDER BY run, part
  ) AS texts
$$;

-- Counts new links, and packs an account's once they are many. Also at once if they come with a past, as imported ones:
-- those that are not packed are found by the time of their creation.
CREATE FUNCTION count_new_links() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  full_one record;
BEGIN
  INSERT INTO link_counts AS c (account_id, active, flagged, revoked, unpacked, unpacked_since)
  SELECT owner_id, count(*) FILTER (WHERE status = 'active'), count(*) FILTER (WHERE status = 'flagged'),
         count(*) FILTER (WHERE status = 'revoked'), count(*), min(created_at)
  FROM made GROUP BY owner_id ORDER BY owner_id
  ON CONFLICT (account_id) DO UPDATE SET
    active = c.active + excluded.active, flagged = c.flagged + excluded.flagged, revoked = c.revoked + excluded.revoked,
    unpacked = c.unpacked + excluded.unpacked, unpacked_since = least(c.unpacked_since, excluded.unpacked_since);

  IF EXISTS (SELECT FROM made WHERE tags <> '{}') THEN
    INSERT INTO link_tag_counts AS c (account_id, tag, active, flagged, revoked)
    SELECT owner_id, tag, count(*) FILTER (WHERE status = 'active'), count(*) FILTER (WHERE status = 'flagged'),
           count(*) FILTER (WHERE status = 'revoked')
    FROM made, LATERAL (SELECT DISTINCT unnest(tags) COLLATE "C" AS tag) AS t
    WHERE tag IS NOT NULL GROUP BY owner_id, tag ORDER BY owner_id, tag
    ON CONFLICT (account_id, tag) DO UPDATE SET
      active = c.active + excluded.active, flagged = c.flagged + excluded.flagged, revoked = c.revoked + excluded.revoked;
  END IF;

  FOR full_one IN
    SELECT c.account_id, c.packed_to, c.unpacked_since, m.last
    FROM (SELECT owner_id, max(id) AS last, bool_or(created_at < scanned_at) AS old FROM made GROUP BY owner_id) AS m
    JOIN link_counts c ON c.account_id = m.owner_id WHERE c.unpacked >= 1024 OR m.old
  LOOP
    PERFORM pack_links(full_one.account_id, full_one.packed_to, full_one.last, full_one.unpacked_since);
    UPDATE link_counts SET packed_to = full_one.last, unpacked = 0, unpacked_since = 'infinity'
    WHERE account_id = full_one.account_id;
  END LOOP;
  RETURN NULL;
END
$$;

-- Only where the account still has its rows: the links of one that is deleted are not counted any more.
CREATE FUNCTION count_changed_links() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM was JOIN made USING (id) WHERE was.status <> made.status OR was.tags <> made.tags) THEN
    UPDATE link_counts AS c SET active = c.active + d.active, flagged = c.flagged + d.flagged, revoked = c.revoked + d.revoked
    FROM (
      SELECT owner_id, sum(n) FILTER (WHERE status = 'active') AS a, sum(n) FILTER (WHERE status = 'flagged') AS f,
             sum(n) FILTER (WHERE status = 'revoked') AS r
      FROM (SELECT owner_id, status, -1 AS n FROM was UNION ALL SELECT owner_id, status, 1 FROM made) AS change
      GROUP BY owner_id
    ) AS s, LATERAL (SELECT coalesce(s.a, 0) AS active, coalesce(s.f, 0) AS flagged, coalesce(s.r, 0) AS revoked) AS d
    WHERE c.account_id = s.owner_id;

    UPDATE link_tag_counts AS c SET active = c.active + d.active, flagged = c.flagged + d.flagged, revoked = c.revoked + d.revoked
    FROM (
      SELECT owner_id, tag, sum(n) FILTER (WHERE status = 'active') AS a, sum(n) FILTER (WHERE status = 'flagged') AS f,
             sum(n) FILTER (WHERE status = 'revoked') AS r
      FROM (
        SELECT owner_id, tags, status, -1 AS n FROM was UNION ALL SELECT owner_id, tags, status, 1 FROM made
      ) AS change, LATERAL (SELECT DISTINCT unnest(tags) COLLATE "C" AS tag) AS t
      GROUP BY owner_id, tag
    ) AS s, LATERAL (SELECT coalesce(s.a, 0) AS active, coalesce(s.f, 0) AS flagged, coalesce(s.r, 0) AS revoked) AS d
    WHERE c.account_id = s.owner_id AND c.tag = s.tag;
  END IF;
  RETURN NULL;
END
$$;

-- For the filter by tags: the account is in each word of the index, so it finds links of this account alone.
CREATE FUNCTION tags_of_account(account uuid, tags text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT array_agg(account::text || tag) FROM unnest(tags) AS tag
$$;

-- Waits for those that change links, and keeps others from it until the commit, while every link is counted: half a
-- second for a million, and as much for their tags. Readers and visitors do not wait.
LOCK TABLE links IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO link_counts (account_id, active, flagged, revoked, packed_to)
SELECT owner_id, count(*) FILTER (WHERE status = 'active'), count(*) FILTER (WHERE status = 'flagged'),
       count(*) FILTER (WHERE status = 'revoked'), max(id)
FROM links WHERE EXISTS (SELECT FROM accounts WHERE accounts.id = owner_id) GROUP BY owner_id;
INSERT INTO link_tag_counts (account_id, tag, active, flagged, revoked)
SELECT owner_id, tag, count(*) FILTER (WHERE status = 'active'), count(*) FILTER (WHERE status = 'flagged'),
       count(*) FILTER (WHERE status = 'revoked')
FROM links, LATERAL (SELECT DISTINCT unnest(tags) COLLATE "C" AS tag) AS t
WHERE tag IS NOT NULL AND EXISTS (SELECT FROM link_counts WHERE account_id = owner_id) GROUP BY owner_id, tag;
CREATE TRIGGER count_new AFTER INSERT ON links REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION count_new_links();
CREATE TRIGGER count_changed AFTER UPDATE ON links REFERENCING OLD TABLE AS was NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION count_changed_links();

-- The version before creates links meanwhile, which counts them, and rights come after all migrations (grants.ts).
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'waypost_api') THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON link_counts, link_tag_counts, link_texts TO waypost_api;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO waypost_api;
  END IF;
END $$;
