-- The click store on a cluster: shards by slug, two or more replicas of each. Run once, by hand, on any node, as a user
-- that may create; replace 'waypost' after ON CLUSTER by the name of yours (<remote_servers>, with
-- <internal_replication>true</internal_replication>, and the macros {shard} and {replica}). Before each upgrade run
-- that of the new version: it adds what is missing.
--
-- Waypost uses `waypost`.clicks on the node that CLICKHOUSE_URL names (a balancer over all nodes), as on one node.
-- The last line records this version of the schema for `prepare`.
--
-- Not run, because the development machines have no ClickHouse server: ON CLUSTER, replicas, insert_quorum, users.
-- scripts/check-deploy.mjs parses each statement with ClickHouse's own parser (chDB), and
-- libs/adapter-clickhouse/test/cluster.test.ts uses the tables, without replicas, through `Distributed` on two shards.

-- The path of the migrations has no {shard}, because every node has the same rows.
--
-- One row per click, on one shard. A copy of it (a retry, a replay, another partition of the topic) has the same slug, so
-- it goes to the same shard, where FINAL merges it, whichever replica took it: an insert needs no deduplication token. A
-- link's figures are one shard's work, and uniques are exact.
-- Clicks are deleted row by row after 101 or 102 days, not only when a whole month is old.
-- previous_visitor_hash uses the previous secret while VISITOR_SECRET rotates (deploy/run.md).
-- Of copies of a click, the one that was stored first stays: copy_rank is the highest there.

-- made by scripts/clickhouse-schema.ts
CREATE DATABASE IF NOT EXISTS `waypost` ON CLUSTER 'waypost' ENGINE = Atomic;

CREATE TABLE IF NOT EXISTS `waypost`.migrations ON CLUSTER 'waypost' (version UInt32, applied_at DateTime('UTC'))
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/waypost/migrations', '{shard}-{replica}') ORDER BY version
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS `waypost`.clicks_local ON CLUSTER 'waypost'
(
    event_id     UUID                         CODEC(NONE),
    account_id   UUID                         CODEC(LZ4),
    slug         String                       CODEC(LZ4),
    clicked_at   DateTime64(3, 'UTC')         CODEC(Delta, LZ4),
    visitor_hash UInt64                       CODEC(NONE),
    previous_visitor_hash UInt64 DEFAULT 0    CODEC(LZ4),
    country      LowCardinality(FixedString(2)) DEFAULT 'ZZ',
    referrer     LowCardinality(String),
    device       Enum8('desktop' = 1, 'mobile' = 2, 'tablet' = 3),
    browser      LowCardinality(String),
    is_bot       Bool,
    ingested_at  DateTime('UTC') DEFAULT nowInBlock() CODEC(Delta, LZ4),
    copy_rank    UInt32 MATERIALIZED bitNot(toUInt32(ingested_at)) CODEC(Delta, LZ4),
    INDEX ix_ingested ingested_at TYPE minmax GRANULARITY 4
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/waypost/clicks', '{replica}', copy_rank)
PARTITION BY toYYYYMM(clicked_at)
PRIMARY KEY (account_id, slug, toDate(clicked_at))
ORDER BY (account_id, slug, toDate(clicked_at), clicked_at, event_id)
TTL toDateTime(clicked_at) + INTERVAL 100 DAY
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 0, merge_with_ttl_timeout = 86400,
         fsync_after_insert = 1, fsync_part_directory = 1,
         min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;
-- end

CREATE TABLE IF NOT EXISTS `waypost`.clicks ON CLUSTER 'waypost' AS `waypost`.clicks_local
ENGINE = Distributed('waypost', 'waypost', 'clicks_local', cityHash64(slug));

-- These guarantee "inserted, then committed" on a cluster, and one shard per link:
--   distributed_foreground_insert   an insert resolves once the shards have it, not while it is in a queue
--   insert_quorum                   and once two replicas of the shard have it
--   optimize_skip_unused_shards     `slug = ...` queries only the shard of that slug
-- While a shard is away, its clicks wait in Kafka and analytics answer 503: Waypost never skips a shard. The same holds
-- while one of two replicas is away, for inserts; with three replicas, nothing waits.
-- Webhooks read clicks 20 s after they were stored, by the clocks of the nodes: keep these within a second of each other.
-- A third replica of a shard may be later than that; webhooks that read there miss its clicks.
CREATE SETTINGS PROFILE IF NOT EXISTS waypost ON CLUSTER 'waypost' SETTINGS
    distributed_foreground_insert = 1,
    insert_quorum = 2,
    insert_quorum_parallel = 1,
    insert_quorum_timeout = 15000,
    optimize_skip_unused_shards = 1;

-- Waypost's users. Set their passwords in place of SHA256_HASH. `prepare` then finds everything and creates nothing.
CREATE USER IF NOT EXISTS waypost_owner ON CLUSTER 'waypost' IDENTIFIED WITH sha256_hash BY 'SHA256_HASH' SETTINGS PROFILE 'waypost';
CREATE USER IF NOT EXISTS waypost_ingest ON CLUSTER 'waypost' IDENTIFIED WITH sha256_hash BY 'SHA256_HASH' SETTINGS PROFILE 'waypost';
CREATE USER IF NOT EXISTS waypost_api ON CLUSTER 'waypost' IDENTIFIED WITH sha256_hash BY 'SHA256_HASH' SETTINGS PROFILE 'waypost';
GRANT ON CLUSTER 'waypost' SELECT, INSERT, CREATE DATABASE, CREATE TABLE, ALTER TABLE ON `waypost`.* TO waypost_owner;
GRANT ON CLUSTER 'waypost' INSERT ON `waypost`.clicks TO waypost_ingest;
GRANT ON CLUSTER 'waypost' SELECT ON `waypost`.migrations TO waypost_ingest;
GRANT ON CLUSTER 'waypost' SELECT ON `waypost`.clicks TO waypost_api;

-- made by scripts/clickhouse-schema.ts
INSERT INTO `waypost`.migrations SETTINGS async_insert = 0 SELECT 1, now();
-- end
