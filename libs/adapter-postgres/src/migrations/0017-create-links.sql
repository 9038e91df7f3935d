-- Made by 0014, 0015 and 0017 alike (create-links.ts): a database gets it with the first of them that it lacks.
--
-- A creation, whole or not at all, in one round trip (decision 0003). Raises
--   23505  a slug is taken
--   WP001  the quota does not allow it; DETAIL is the JSON object { limit, start, used } of the window
--   WP002  the idempotency key is not held by `keep_holder`, or has its answer
CREATE OR REPLACE FUNCTION create_links(
  owner           uuid,
  made_at         timestamptz,
  scan_generation text,
  -- of each link; `tags` are texts of PostgreSQL arrays, or JSON arrays from a version that sends those
  slugs           text[],
  urls            text[],
  statuses        text[],
  threat_types    text[],
  tags            text[],
  events          text[],
  -- [{ slug, outcome, threat_type, reasons }], of some
  verdicts        json,
  event_topic     text,
  trace           text,
  -- for an account without a limit of its own
  default_limit   integer,
  window_length   interval,
  clock_skew      interval,
  -- null without an idempotency key
  keep_endpoint   text,
  keep_key        text,
  keep_holder     uuid,
  keep_answer     jsonb,
  -- of each link; null from a version that knows none
  deep_scans      text[] DEFAULT NULL,
  previews        boolean[] DEFAULT NULL,
  -- of each link, when several requests of one account are stored together (decision 0041)
  times           timestamptz[] DEFAULT NULL,
  generations     text[] DEFAULT NULL,
  traces          text[] DEFAULT NULL,
  OUT allowed     integer,
  OUT started     timestamptz,
  OUT spent       integer
) LANGUAGE plpgsql
  -- planning for the values would take longer than running it
  SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  kept boolean := true;
BEGIN
  -- First: see link_counts.
  PERFORM FROM link_counts WHERE account_id = owner FOR UPDATE;

  WITH made AS (
    INSERT INTO links (slug, owner_id, destination_url, status, threat_type, tags, created_at, updated_at, scanned_at, scan_generation,
                       deep_scan, preview_first, version)
    SELECT n.slug, owner, n.url, n.status, n.threat_type,
           CASE WHEN starts_with(n.tags, '[') THEN ARRAY(SELECT json_array_elements_text(n.tags::json)) ELSE n.tags::text[] END,
           coalesce(n.at, made_at), coalesce(n.at, made_at), coalesce(n.at, made_at), coalesce(n.generation, scan_generation),
           n.deep_scan, coalesce(n.preview_first, false), 1
    FROM unnest(slugs, urls, statuses, threat_types, tags, deep_scans, previews, times, generations)
      AS n (slug, url, status, threat_type, tags, deep_scan, preview_first, at, generation)
    ORDER BY n.slug -- the same order for all, so that two batches never wait for each other
    RETURNING id, slug, scanned_at, links.scan_generation AS generation
  ),
  judged AS (
    INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at)
    SELECT made.id, made.generation, v.outcome, v.threat_type, v.reasons, made.scanned_at
    FROM json_to_recordset(verdicts) AS v (slug text, outcome text, threat_type text, reasons jsonb) JOIN made USING (slug)
  )
  INSERT INTO outbox (topic, key, value, traceparent)
  SELECT event_topic, e.slug, e.value, coalesce(e.trace, create_links.trace)
  FROM unnest(slugs, events, traces) AS e (slug, value, trace);

  IF keep_key IS NOT NULL THEN
    UPDATE idempotency_keys SET response = keep_answer, held_until = made_at
    WHERE account_id = owner AND endpoint = keep_endpoint AND key = keep_key AND holder = keep_holder AND response IS NULL;
    kept := FOUND;
  END IF;

  SELECT coalesce(creations_per_hour, default_limit) INTO STRICT allowed FROM accounts WHERE id = owner;
  -- Last: this row is the lock for which an account's creations queue, and it is held for no longer than the commit takes.
  INSERT INTO creation_quota AS q (account_id, window_start, used)
  VALUES (owner, made_at, cardinality(slugs))
  ON CONFLICT (account_id) DO UPDATE SET (window_start, used) = (
    SELECT CASE WHEN is_over THEN made_at ELSE q.window_start END, CASE WHEN is_over THEN 0 ELSE q.used END + excluded.used
    -- also when it starts in the future: the clock was set back
    FROM (SELECT q.window_start <= made_at - window_length OR q.window_start > made_at + clock_skew AS is_over) AS w
  )
  RETURNING q.window_start, q.used INTO started, spent;

  IF spent > allowed THEN
    RAISE EXCEPTION 'the creation quota does not allow this' USING ERRCODE = 'WP001', DETAIL = json_build_object(
      'limit', allowed, 'start', started, 'used', spent - cardinality(slugs));
  END IF;
  IF NOT kept THEN
    RAISE EXCEPTION 'the idempotency key has another holder, or its answer' USING ERRCODE = 'WP002';
  END IF;
END
$$;
