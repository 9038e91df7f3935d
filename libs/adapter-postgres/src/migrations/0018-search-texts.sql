-- The texts that a search reads are packed by link-api in the background, no longer by the creation that fills them, and
-- say which trigrams they have (decision 0047).

-- A row that says whether a text can have what is searched for is read without the text.
ALTER TABLE link_texts RESET (toast_tuple_target);
ALTER TABLE link_texts ALTER COLUMN lines SET STORAGE EXTERNAL;
ALTER TABLE link_texts
  -- sorted with few others: to be sorted anew with more
  ADD COLUMN loose boolean NOT NULL DEFAULT true,
  -- a bit for each; null in a text of the version before, which may have any
  ADD COLUMN trigrams bytea STORAGE PLAIN;

ALTER TABLE link_counts
  -- of those that are packed: how many in loose texts; null, all
  ADD COLUMN loose integer,
  -- some of those that are not packed were created before they were inserted, as imported ones
  ADD COLUMN past boolean NOT NULL DEFAULT false;
ALTER TABLE link_counts ALTER COLUMN loose SET DEFAULT 0;

-- pack_links and shared_pieces stay for what runs meanwhile.
CREATE OR REPLACE FUNCTION count_new_links() RETURNS trigger LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  INSERT INTO link_counts AS c (account_id, active, flagged, revoked, unpacked, unpacked_since, past)
  SELECT owner_id, count(*) FILTER (WHERE status = 'active'), count(*) FILTER (WHERE status = 'flagged'),
         count(*) FILTER (WHERE status = 'revoked'), count(*), min(created_at), bool_or(created_at < scanned_at)
  FROM made GROUP BY owner_id ORDER BY owner_id
  ON CONFLICT (account_id) DO UPDATE SET
    active = c.active + excluded.active, flagged = c.flagged + excluded.flagged, revoked = c.revoked + excluded.revoked,
    unpacked = c.unpacked + excluded.unpacked, unpacked_since = least(c.unpacked_since, excluded.unpacked_since),
    past = c.past OR excluded.past;

  IF EXISTS (SELECT FROM made WHERE tags <> '{}') THEN
    INSERT INTO link_tag_counts AS c (account_id, tag, active, flagged, revoked)
    SELECT owner_id, tag, count(*) FILTER (WHERE status = 'active'), count(*) FILTER (WHERE status = 'flagged'),
           count(*) FILTER (WHERE status = 'revoked')
    FROM made, LATERAL (SELECT DISTINCT unnest(tags) COLLATE "C" AS tag) AS t
    WHERE tag IS NOT NULL GROUP BY owner_id, tag ORDER BY owner_id, tag
    ON CONFLICT (account_id, tag) DO UPDATE SET
      active = c.active + excluded.active, flagged = c.flagged + excluded.flagged, revoked = c.revoked + excluded.revoked;
  END IF;
  RETURN NULL;
END
$$;
