-- What `prepare` creates on one ClickHouse server. Run it by hand only where `prepare` may not create tables.
--
-- Clicks are deleted row by row after 101 or 102 days, not only when a whole month is old.
-- previous_visitor_hash uses the previous secret while VISITOR_SECRET rotates (deploy/run.md).
-- Of copies of a click, the one that was stored first stays: copy_rank is the highest there.

-- made by scripts/clickhouse-schema.ts
CREATE DATABASE IF NOT EXISTS `waypost` ENGINE = Atomic;

CREATE TABLE IF NOT EXISTS `waypost`.migrations (version UInt32, applied_at DateTime('UTC'))
ENGINE = ReplacingMergeTree ORDER BY version
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS `waypost`.clicks
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
ENGINE = ReplacingMergeTree(copy_rank)
PARTITION BY toYYYYMM(clicked_at)
PRIMARY KEY (account_id, slug, toDate(clicked_at))
ORDER BY (account_id, slug, toDate(clicked_at), clicked_at, event_id)
TTL toDateTime(clicked_at) + INTERVAL 100 DAY
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 0, merge_with_ttl_timeout = 86400,
         fsync_after_insert = 1, fsync_part_directory = 1,
         min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1;
-- end

-- made by scripts/clickhouse-schema.ts
INSERT INTO `waypost`.migrations SETTINGS async_insert = 0 SELECT 1, now();
-- end
