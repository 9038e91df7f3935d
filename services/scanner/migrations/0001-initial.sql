-- grants.ts has the rights. The conventions are those of link-api's tables.

-- The scanner knows these links from their events (decision 0022).
CREATE TABLE scanner_links (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug            text COLLATE "C" NOT NULL UNIQUE,
  destination_url text COLLATE "C" NOT NULL,
  -- The rows of scanner_keys to delete together with this link.
  keys            bigint[] NOT NULL,
  -- A flagged link stays here, so that its flag can be removed with its source (decision 0006).
  flagged         boolean NOT NULL DEFAULT false
);

-- These keys find the links that a new entry of the threat database may concern.
CREATE TABLE scanner_keys (
  key     bigint NOT NULL,
  link_id bigint NOT NULL,
  PRIMARY KEY (key, link_id)
);

-- These links wait for another scan (decision 0006).
CREATE TABLE scanner_looks (
  slug   text COLLATE "C" PRIMARY KEY,
  due_at timestamptz(3) NOT NULL,
  tries  integer NOT NULL DEFAULT 0
);
CREATE INDEX scanner_looks_due ON scanner_looks (due_at);

-- Visitors were redirected to these hosts within the last day.
CREATE TABLE scanner_hosts (
  host      text COLLATE "C" PRIMARY KEY,
  looked_at timestamptz(3) NOT NULL
);
CREATE INDEX scanner_hosts_looked ON scanner_hosts (looked_at);

-- All scanners load their threat data from here (decision 0043).
CREATE TABLE scanner_state (
  one     boolean PRIMARY KEY DEFAULT true CHECK (one),
  version bigint NOT NULL,
  state   text NOT NULL
);

CREATE TABLE scanner_files (
  name    text COLLATE "C" PRIMARY KEY,
  content bytea NOT NULL
);
-- The content is hashes, which cannot be compressed.
ALTER TABLE scanner_files ALTER COLUMN content SET STORAGE EXTERNAL;
