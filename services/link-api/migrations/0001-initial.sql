-- COLLATE "C" compares text by its bytes, so that the order is the same on every server. Times have milliseconds, as in
-- the API. grants.ts has the rights.

CREATE TABLE accounts (
  id                 uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email              text COLLATE "C" NOT NULL,
  admin              boolean NOT NULL,
  password_hash      text,
  creations_per_hour integer CHECK (creations_per_hour >= 0),
  created_at         timestamptz(3) NOT NULL DEFAULT now(),
  suspended_at       timestamptz(3),
  suspension_reason  text
);
CREATE UNIQUE INDEX accounts_email ON accounts (email);

CREATE TABLE sign_in_links (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  token_hash bytea NOT NULL UNIQUE,
  expires_at timestamptz(3) NOT NULL
);

CREATE TABLE sessions (
  token_hash bytea PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  via        text NOT NULL,
  browser    text NOT NULL,
  system     text NOT NULL,
  country    text NOT NULL,
  started_at timestamptz(3) NOT NULL,
  -- When the person last showed a password, a passkey or a provider's identity.
  proved_at  timestamptz(3) NOT NULL,
  used_at    timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX sessions_of_account ON sessions (account_id);

-- The kinds of browsers that began the sessions of an account. A new one is shown to the account's other sessions.
CREATE TABLE devices (
  id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  browser    text NOT NULL,
  system     text NOT NULL,
  country    text NOT NULL,
  first_at   timestamptz(3) NOT NULL,
  last_at    timestamptz(3) NOT NULL,
  known      boolean NOT NULL,
  UNIQUE (account_id, browser, system, country)
);

CREATE TABLE sign_in_attempts (
  subject     bytea PRIMARY KEY,
  attempts    integer NOT NULL,
  window_ends timestamptz(3) NOT NULL
);

CREATE TABLE first_run (
  only_one   boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  token_hash bytea NOT NULL,
  expires_at timestamptz(3) NOT NULL
);

CREATE TABLE passkeys (
  id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id    uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name          text NOT NULL,
  credential_id text NOT NULL UNIQUE,
  public_key    bytea NOT NULL,
  counter       bigint NOT NULL,
  created_at    timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at  timestamptz(3)
);
CREATE INDEX passkeys_of_account ON passkeys (account_id);

-- Challenges that a passkey has answered. Each works once.
CREATE TABLE used_challenges (
  hash       bytea PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX used_challenges_expire ON used_challenges (expires_at);

-- The secret with which link-api signs challenges and cookies. Two random UUIDs hold 244 random bits.
CREATE TABLE installation (
  only_one     boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  secret       bytea NOT NULL DEFAULT sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')),
  -- The next mail to the operator is sent then or later. The process that moves this time sends the mail.
  next_mail_at timestamptz(3) NOT NULL DEFAULT '-infinity',
  -- A mail has told of the entries that threat lists have had of this service until then.
  listings_noted_at timestamptz(3) NOT NULL DEFAULT '-infinity'
);
INSERT INTO installation DEFAULT VALUES;

-- A row links an account to an identity at an OpenID Connect provider (decision 0027).
CREATE TABLE identities (
  id         uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  issuer     text NOT NULL,
  subject    text NOT NULL,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject),
  UNIQUE (account_id, issuer)
);

CREATE TABLE api_keys (
  id           uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id   uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name         text NOT NULL,
  scopes       text[] NOT NULL,
  key_hash     bytea NOT NULL UNIQUE,
  hint         text NOT NULL,
  created_at   timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3),
  expires_at   timestamptz(3)
);
CREATE INDEX api_keys_of_account ON api_keys (account_id);

-- The links of these deleted accounts must still be erased (decision 0037).
CREATE TABLE account_deletions (
  account_id uuid PRIMARY KEY,
  deleted_at timestamptz(3) NOT NULL,
  next_at    timestamptz(3) NOT NULL,
  -- Clicks that arrive late are purged again some time after this. Null until the click store answers.
  purged_at  timestamptz(3),
  -- The messages of these webhooks must still be erased.
  webhooks   uuid[] NOT NULL
);

-- The tables that a creation writes have no foreign keys: their checks took most of its time (five to ten per link).
-- They are not needed, because links are never deleted and one statement writes all rows of a link.
CREATE TABLE links (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner_id         uuid NOT NULL,
  -- A search reads this text. pg_c_utf8 gives lower case in every script. The column is stored, because the conversion
  -- takes longer than the search. It is one of the first, because each column before it takes time (decision 0040).
  search_text      text COLLATE "C" NOT NULL GENERATED ALWAYS AS (
    lower((slug || E'\n' || destination_url || coalesce(E'\n' || title, '') || coalesce(E'\n' || note, '')) COLLATE pg_c_utf8)
  ) STORED,
  slug             text COLLATE "C" NOT NULL,
  destination_url  text COLLATE "C" NOT NULL,
  status           text COLLATE "C" NOT NULL CHECK (status IN ('active', 'flagged', 'revoked')),
  threat_type      text COLLATE "C",
  take_down_reason text,
  tags             text[] NOT NULL,
  title            text COLLATE "C",
  note             text,
  ends_at          timestamptz(3),
  created_at       timestamptz(3) NOT NULL,
  updated_at       timestamptz(3) NOT NULL,
  revoked_at       timestamptz(3),
  scanned_at       timestamptz(3) NOT NULL,
  scan_generation  text NOT NULL,
  version          integer NOT NULL
);
-- A slug is never used again, because the row of a link stays even when its account is deleted.
CREATE UNIQUE INDEX links_slug ON links (slug);
-- Lists have these orders, with or without a status. To find a page, PostgreSQL reads only the index.
CREATE INDEX links_by_created ON links (owner_id, created_at, slug) INCLUDE (status);
CREATE INDEX links_by_updated ON links (owner_id, updated_at, slug) INCLUDE (status);
-- Few links have a title or an end, so lists by these sort what this index has of all of them.
CREATE INDEX links_by_slug ON links (owner_id, slug) INCLUDE (status, title, ends_at);
CREATE INDEX links_ending ON links (ends_at) WHERE ends_at IS NOT NULL AND status <> 'revoked';
CREATE INDEX links_by_destination ON links (owner_id, destination_url, slug) INCLUDE (status);
CREATE INDEX links_by_status ON links (owner_id, status, slug);

-- These rows explain the status of a link: the results of scans and reviews, oldest first.
CREATE TABLE link_verdicts (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  link_id     bigint NOT NULL,
  generation  text NOT NULL,
  outcome     text NOT NULL,
  threat_type text,
  reasons     jsonb NOT NULL,
  at          timestamptz(3) NOT NULL
);
CREATE INDEX link_verdicts_of_link ON link_verdicts (link_id, id);

CREATE TABLE link_reviews (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  link_id  bigint NOT NULL REFERENCES links,
  decision text NOT NULL CHECK (decision IN ('clear', 'keep')),
  -- This evidence must not flag the link again.
  cleared  jsonb NOT NULL,
  at       timestamptz(3) NOT NULL
);
CREATE INDEX link_reviews_of_link ON link_reviews (link_id);

-- Another service counted these clicks, and an import added them (decision 0029).
CREATE TABLE imported_clicks (
  slug      text COLLATE "C" PRIMARY KEY,
  owner_id  uuid NOT NULL,
  first_day date NOT NULL,
  last_day  date NOT NULL,
  -- The clicks from the first day to each day, so the clicks of a period are a difference.
  totals    bigint[] NOT NULL
);
CREATE INDEX imported_clicks_of_owner ON imported_clicks (owner_id, last_day);

-- Sums over all links of an account, because adding up the days of 100,000 links would take seconds.
CREATE TABLE imported_days (
  owner_id uuid NOT NULL,
  day      date NOT NULL,
  clicks   bigint NOT NULL,
  PRIMARY KEY (owner_id, day)
);

CREATE TABLE idempotency_keys (
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  endpoint   text NOT NULL,
  key        text NOT NULL,
  body_hash  text NOT NULL,
  -- `holder` runs the request until there is a response, and at most until `held_until`.
  holder     uuid NOT NULL,
  held_until timestamptz(3) NOT NULL,
  -- Not jsonb, which would change the order of the fields: a replay has the bytes of the first answer.
  response   json,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, endpoint, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- A creation locks this table after the one above, and the deletion of an account follows the order of this file.
CREATE TABLE creation_quota (
  account_id   uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  window_start timestamptz(3) NOT NULL,
  used         integer NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE outbox (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key         text NOT NULL,
  value       text NOT NULL,
  -- The trace of the request that caused the event (decision 0010).
  traceparent text,
  created_at  timestamptz(3) NOT NULL DEFAULT now()
) WITH (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0);

-- link-api raises the generation when it cannot write to the shared cache. Older entries are then no longer valid.
CREATE TABLE cache_generation (
  one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
  generation bigint NOT NULL,
  servers jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO cache_generation (generation) VALUES (1);

-- Inserts links of one account with their verdicts and events, except links whose slug is taken. Returns the slugs that
-- it inserted.
CREATE FUNCTION insert_links(
  owner           uuid,
  made_at         timestamptz,
  scan_generation text,
  -- Each array has one element per link. `tags` are arrays in text form. Without a time, `made_at` applies.
  slugs           text[],
  urls            text[],
  statuses        text[],
  threat_types    text[],
  tags            text[],
  titles          text[],
  notes           text[],
  ends            timestamptz[],
  times           timestamptz[],
  events          text[],
  -- [{ slug, outcome, threat_type, reasons }], not necessarily for every link
  verdicts        json,
  trace           text
) RETURNS SETOF text LANGUAGE plpgsql
  -- A new plan for the values would take longer than the statement.
  SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY
  WITH made AS (
    INSERT INTO links (slug, owner_id, destination_url, status, threat_type, tags, title, note, ends_at, created_at,
                       updated_at, scanned_at, scan_generation, version)
    SELECT n.slug, owner, n.url, n.status, n.threat_type, n.tags::text[], n.title, n.note, n.ends_at, coalesce(n.at, made_at),
           coalesce(n.at, made_at), made_at,
           scan_generation, 1
    FROM unnest(slugs, urls, statuses, threat_types, tags, titles, notes, ends, times)
      AS n (slug, url, status, threat_type, tags, title, note, ends_at, at)
    ORDER BY n.slug COLLATE "C" -- the same order for all batches prevents a deadlock
    ON CONFLICT (slug) DO NOTHING
    RETURNING id, slug
  ),
  judged AS (
    INSERT INTO link_verdicts (link_id, generation, outcome, threat_type, reasons, at)
    SELECT made.id, scan_generation, v.outcome, v.threat_type, v.reasons, made_at
    FROM json_to_recordset(verdicts) AS v (slug text, outcome text, threat_type text, reasons jsonb) JOIN made USING (slug)
  ),
  told AS (
    INSERT INTO outbox (key, value, traceparent)
    SELECT slug, e.value, trace FROM unnest(slugs, events) AS e (slug, value) JOIN made USING (slug)
  )
  SELECT made.slug FROM made;
END
$$;

-- Creates all given links or none, in one round trip (decision 0003). Raises
--   23505  a slug is taken
--   WP001  the quota does not allow it; DETAIL is the JSON object { limit, start, used } of the time window
--   WP002  the idempotency key is not held by `keep_holder`, or already has a response
CREATE FUNCTION create_links(
  owner           uuid,
  made_at         timestamptz,
  scan_generation text,
  -- These have the same form as in insert_links.
  slugs           text[],
  urls            text[],
  statuses        text[],
  threat_types    text[],
  tags            text[],
  titles          text[],
  notes           text[],
  ends            timestamptz[],
  events          text[],
  verdicts        json,
  trace           text,
  -- This limit applies to an account without its own one.
  default_limit   integer,
  window_length   interval,
  clock_skew      interval,
  -- All of these are null if the request has no idempotency key.
  keep_endpoint   text,
  keep_key        text,
  keep_holder     uuid,
  keep_answer     json,
  OUT allowed     integer,
  OUT started     timestamptz,
  OUT spent       integer
) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  kept boolean := true;
BEGIN
  IF (SELECT count(*) FROM insert_links(owner, made_at, scan_generation, slugs, urls, statuses, threat_types, tags, titles, notes,
                                        ends, '{}', events, verdicts, trace)) < cardinality(slugs) THEN
    RAISE unique_violation;
  END IF;

  IF keep_key IS NOT NULL THEN
    UPDATE idempotency_keys SET response = keep_answer, held_until = made_at
    WHERE account_id = owner AND endpoint = keep_endpoint AND key = keep_key AND holder = keep_holder AND response IS NULL;
    kept := FOUND;
  END IF;

  SELECT coalesce(creations_per_hour, default_limit) INTO STRICT allowed FROM accounts WHERE id = owner;
  -- This comes last: creations of one account wait for the lock on this row, so it must be short.
  INSERT INTO creation_quota AS q (account_id, window_start, used)
  VALUES (owner, made_at, cardinality(slugs))
  ON CONFLICT (account_id) DO UPDATE SET (window_start, used) = (
    SELECT CASE WHEN is_over THEN made_at ELSE q.window_start END, CASE WHEN is_over THEN 0 ELSE q.used END + excluded.used
    -- A window that starts in the future is over, too: the clock was set back.
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

-- decision 0025 explains the tables of webhooks.
CREATE TABLE webhooks (
  id               uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  account_id       uuid NOT NULL REFERENCES accounts,
  -- A webhook of the installation gets events about the links of all accounts. It belongs to an administrator.
  scope            text COLLATE "C" NOT NULL DEFAULT 'account' CHECK (scope IN ('account', 'installation')),
  url              text NOT NULL,
  events           text[] NOT NULL,
  -- The secret signs messages, so it cannot be stored as a hash.
  secret           text NOT NULL,
  old_secret       text,
  old_secret_until timestamptz(3),
  created_at       timestamptz(3) NOT NULL,
  -- The API key that created the webhook or last changed its URL. Null if the owner did so in the dashboard.
  key_id           uuid,
  -- The webhook gets no events from before this time, when it was created or last switched on.
  enabled_since    timestamptz(3) NOT NULL,
  -- It gets no visits from before this time.
  clicks_since     timestamptz(3) NOT NULL,
  -- The place of the last click in its messages: Unix seconds of the click store, and the id of the click.
  clicks_after_at  bigint NOT NULL,
  clicks_after_id  uuid NOT NULL,
  -- The click store is asked for more clicks at this time. Null if there are none.
  clicks_due_at    timestamptz(3),
  failing_since    timestamptz(3),
  disabled_reason  text CHECK (disabled_reason IN ('owner', 'gone', 'failing', 'backlog')),
  disabled_at      timestamptz(3),
  CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL))
);
CREATE INDEX webhooks_of_account ON webhooks (account_id);
CREATE INDEX webhooks_of_installation ON webhooks (id) WHERE scope = 'installation';
CREATE INDEX webhooks_clicks_due ON webhooks (clicks_due_at)
  WHERE clicks_due_at IS NOT NULL AND disabled_at IS NULL AND 'link.clicked' = ANY(events);

-- There is no foreign key, because a webhook is deleted at once and these rows are deleted later.
CREATE TABLE webhook_deliveries (
  id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  webhook_id      uuid NOT NULL,
  type            text NOT NULL,
  -- The bus may deliver an event twice, and this id prevents a second message.
  event_id        text COLLATE "C",
  body            text,
  -- A message of clicks has its range instead of a body. Each attempt reads the clicks again.
  clicks          jsonb,
  -- The trace of the event (W3C Trace Context).
  traceparent     text,
  state           text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed')),
  created_at      timestamptz(3) NOT NULL,
  -- The time of the creation or of the last replay.
  began_at        timestamptz(3) NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  -- Null unless the delivery is pending. If this time passes during an attempt, its process has died.
  next_attempt_at timestamptz(3),
  last_attempt_at timestamptz(3),
  last_status     integer,
  last_error      text,
  last_answer     text,
  expires_at      timestamptz(3),
  CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL)),
  CHECK ((state = 'pending') = (expires_at IS NULL)),
  CHECK ((body IS NULL) = (type = 'link.clicked')),
  CHECK ((clicks IS NULL) = (body IS NOT NULL))
) WITH (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0.02);
CREATE UNIQUE INDEX webhook_deliveries_event ON webhook_deliveries (webhook_id, event_id);
CREATE INDEX webhook_deliveries_log ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook_id, next_attempt_at)
  WHERE state = 'pending' AND type <> 'link.clicked';
CREATE INDEX webhook_deliveries_clicks ON webhook_deliveries (webhook_id, next_attempt_at)
  WHERE state = 'pending' AND type = 'link.clicked';
CREATE INDEX webhook_deliveries_expiry ON webhook_deliveries (expires_at) WHERE expires_at IS NOT NULL;

-- A case is a report about a link or a request to review a flag (decision 0026).
CREATE TABLE cases (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  number     text COLLATE "C" NOT NULL UNIQUE,
  kind       text COLLATE "C" NOT NULL CHECK (kind IN ('report', 'review')),
  slug       text COLLATE "C" NOT NULL,
  category   text,
  message    text NOT NULL,
  -- The owner who made the request. Null if it was a visitor.
  account_id uuid REFERENCES accounts,
  state      text COLLATE "C" NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'upheld', 'dismissed')),
  reason     text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  decided_at timestamptz(3)
);
CREATE INDEX cases_of_link ON cases (slug, id);
CREATE INDEX cases_by_state ON cases (state, id);
-- Metrics and the dashboard count the open cases by the index alone.
CREATE INDEX cases_open ON cases (kind, created_at) WHERE state = 'open';
CREATE INDEX cases_decided ON cases (decided_at) WHERE decided_at IS NOT NULL;
CREATE INDEX cases_of_account ON cases (account_id, decided_at) WHERE account_id IS NOT NULL;

-- These lines wait for the next mail to the operator. Without a mail server, they are deleted after a week.
CREATE TABLE operator_notices (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind       text NOT NULL,
  line       text NOT NULL,
  created_at timestamptz(3) NOT NULL
);

-- The log has ids and no e-mail addresses. Nobody can change its rows, not even the owner of the table.
CREATE TABLE audit_log (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The time of the entry, not of its transaction, because transactions may wait for each other.
  at         timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  actor_id   uuid,
  via        text NOT NULL,
  credential text,
  action     text COLLATE "C" NOT NULL,
  subject    text COLLATE "C" NOT NULL,
  -- The account that is the subject, or to which the subject belongs.
  account_id uuid,
  outcome    text NOT NULL CHECK (outcome IN ('done', 'refused')),
  detail     text NOT NULL
);
CREATE INDEX audit_log_by_time ON audit_log (at, id);
CREATE INDEX audit_log_of_actor ON audit_log (actor_id, id);
CREATE INDEX audit_log_of_action ON audit_log (action, id);
CREATE INDEX audit_log_of_subject ON audit_log (subject, id);
CREATE INDEX audit_log_of_account ON audit_log (account_id, id);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END
$$;
-- Allows one change: personal data of a deleted account may be removed. These are the names of keys and passkeys, where
-- sessions began, hosts of webhooks, and an address in a refused request of an administrator.
CREATE FUNCTION refuse_change_of_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.action ~ '^(key|passkey|session|webhook)[.]' AND NOT EXISTS (SELECT FROM accounts WHERE id = OLD.account_id) THEN
    OLD.detail := '';
  END IF;
  IF strpos(OLD.subject, '@') > 0 AND NOT EXISTS (SELECT FROM accounts WHERE email = OLD.subject) THEN
    OLD.detail := '';
    OLD.subject := NEW.subject;
  END IF;
  IF NEW IS DISTINCT FROM OLD THEN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only_rows BEFORE UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change_of_row();
-- The scanner has no right to the log. It can only note what an operator did with a feed.
CREATE FUNCTION note_feed(change text, feed text, detail text) RETURNS void LANGUAGE sql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
  INSERT INTO audit_log (via, action, subject, outcome, detail) VALUES ('operator', 'feed.' || change, feed, 'done', detail);
$$;
-- Runs with the rights of the schema's owner, because nobody else may update the log. Only the deletion of an account
-- calls it, so that nobody can use it on the entries of another account.
CREATE FUNCTION forget_person() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE audit_log SET detail = ''
  WHERE account_id = OLD.id AND action ~ '^(key|passkey|session|webhook)[.]';
  UPDATE audit_log SET detail = '', subject = OLD.id::text WHERE subject = OLD.email;
  RETURN NULL;
END
$$;
CREATE TRIGGER forget_person AFTER DELETE ON accounts FOR EACH ROW EXECUTE FUNCTION forget_person();
