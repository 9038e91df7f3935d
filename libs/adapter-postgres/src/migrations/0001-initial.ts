import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Text that is compared or sorted is COLLATE "C": by bytes, the same on every server. Times have milliseconds, as in
 * the API.
 */
export class Initial1700000000001 implements MigrationInterface {
  readonly name = 'Initial1700000000001';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      CREATE TABLE accounts (
        id                 uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        email              text COLLATE "C" NOT NULL,
        admin              boolean NOT NULL,
        password_hash      text,
        creations_per_hour integer CHECK (creations_per_hour >= 0),
        created_at         timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX accounts_email ON accounts (email);

      CREATE TABLE sign_in_links (
        account_id uuid PRIMARY KEY REFERENCES accounts,
        token_hash bytea NOT NULL UNIQUE,
        expires_at timestamptz(3) NOT NULL,
        used_at    timestamptz(3)
      );

      CREATE TABLE api_keys (
        id         uuid PRIMARY KEY DEFAULT gen_random_uuid(),
        account_id uuid NOT NULL REFERENCES accounts,
        name       text NOT NULL,
        scopes     text[] NOT NULL,
        key_hash   bytea NOT NULL UNIQUE,
        hint       text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        deleted_at timestamptz(3)
      );
      CREATE INDEX api_keys_of_account ON api_keys (account_id) WHERE deleted_at IS NULL;

      -- No foreign keys on what a creation writes: links and accounts are never deleted, the rows come from the one
      -- statement that makes the link, and their checks were most of its time (five to ten per link).
      CREATE TABLE links (
        id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        slug            text COLLATE "C" NOT NULL,
        owner_id        uuid NOT NULL,
        destination_url text COLLATE "C" NOT NULL,
        status          text COLLATE "C" NOT NULL CHECK (status IN ('active', 'flagged', 'revoked')),
        threat_type     text COLLATE "C",
        tags            text[] NOT NULL,
        created_at      timestamptz(3) NOT NULL,
        updated_at      timestamptz(3) NOT NULL,
        revoked_at      timestamptz(3),
        scanned_at      timestamptz(3) NOT NULL,
        scan_generation text NOT NULL,
        version         integer NOT NULL
      );
      -- Never reused: whatever becomes of a link or its account, its row stays and so does its slug.
      CREATE UNIQUE INDEX links_slug ON links (slug);
      CREATE INDEX links_of_owner ON links (owner_id, created_at, slug);

      -- Which links a new entry of the threat database may concern; whoever asks leaves out those that are not active.
      -- Filed from the outbox, since its rows would take half of a creation's time.
      CREATE TABLE link_expressions (h bigint NOT NULL, slug text COLLATE "C" NOT NULL);
      CREATE INDEX link_expressions_h ON link_expressions (h) INCLUDE (slug);

      -- Why a link is what it is: what the scans found and what reviews decided, oldest first. Append-only.
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
        reason   text NOT NULL,
        -- evidence that does not flag this link again
        cleared  jsonb NOT NULL,
        at       timestamptz(3) NOT NULL
      );
      CREATE INDEX link_reviews_of_link ON link_reviews (link_id);

      CREATE TABLE creation_quota (
        account_id   uuid PRIMARY KEY REFERENCES accounts,
        window_start timestamptz(3) NOT NULL,
        used         integer NOT NULL
      ) WITH (fillfactor = 50);

      CREATE TABLE idempotency_keys (
        account_id uuid NOT NULL REFERENCES accounts,
        endpoint   text NOT NULL,
        key        text NOT NULL,
        body_hash  text NOT NULL,
        -- who runs it and until when it is believed to; a response ends both
        holder     uuid NOT NULL,
        held_until timestamptz(3) NOT NULL,
        response   jsonb,
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (account_id, endpoint, key)
      );
      CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

      CREATE TABLE outbox (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        topic      text NOT NULL,
        key        text NOT NULL,
        value      text NOT NULL,
        -- of a new link, to be filed in link_expressions before the event is relayed
        expressions bigint[],
        -- of the request that made the event (decision 0010)
        traceparent text,
        created_at timestamptz(3) NOT NULL DEFAULT now()
      ) WITH (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0);

      -- Raised when link-api could not reach the shared cache: what redirectors cached before is void.
      CREATE TABLE cache_generation (one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row), generation bigint NOT NULL);
      INSERT INTO cache_generation (generation) VALUES (1);
    `);
  }

  async down(): Promise<void> {
    throw new Error('the first migration is not undone: it would delete every link');
  }
}
