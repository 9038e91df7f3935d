import type { ClickHouseClient } from '@clickhouse/client';
import { CLICK_RETENTION_DAYS } from '@waypost/domain';

export const CLICKS_TABLE = 'clicks';

/** Quoted for SQL. The name comes from our configuration, but a typo must fail here and not inside a statement. */
export function identifier(name: string): string {
  if (!/^[A-Za-z_]\w{0,62}$/.test(name)) throw new Error(`not a ClickHouse name: ${JSON.stringify(name)}`);
  return `\`${name}\``;
}

/**
 * Each entry takes the schema one version up and is never edited once released. It may run twice (two processes that
 * start together both apply it), hence IF NOT EXISTS everywhere.
 */
const MIGRATIONS: readonly ((database: string) => readonly string[])[] = [(database) => [createClicks(database)]];

export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map((_, index) => String(index + 1));

/**
 * Creates the database and its tables, or updates them. Costs only two look-ups when they are up to date. Rejects for
 * the tables of a cluster that are of an earlier version.
 */
export async function prepareClickHouse(client: ClickHouseClient, database: string): Promise<void> {
  const db = identifier(database);
  // Atomic by name, since chDB's own default is another engine.
  await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${db} ENGINE = Atomic` });
  await client.command({ query: createMigrations(db) });
  const applied = await schemaVersion(client, db);
  if (applied < MIGRATIONS.length) await expectLocalClicks(client, database);
  for (const [index, statements] of MIGRATIONS.entries()) {
    const version = index + 1;
    if (version <= applied) continue;
    for (const query of statements(db)) await client.command({ query });
    await client.command({ query: `INSERT INTO ${db}.migrations SETTINGS async_insert = 0 SELECT ${version}, now()` });
  }
}

/** A statement about a distributed table leaves the tables on the shards as they are. */
async function expectLocalClicks(client: ClickHouseClient, database: string): Promise<void> {
  const result = await client.query({
    query: 'SELECT engine FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    query_params: { database, table: CLICKS_TABLE },
    format: 'JSONEachRow',
  });
  const [clicks] = await result.json<{ engine: string }>();
  if (clicks?.engine === 'Distributed')
    throw new Error('the click store is a cluster: run deploy/clickhouse/cluster.sql of this version first');
}

/** For a process that may not create tables: rejects while a migration of this version is missing. Changes nothing. */
export async function expectClickHouseSchema(client: ClickHouseClient, database: string): Promise<void> {
  const found = await schemaVersion(client, identifier(database));
  if (found < MIGRATIONS.length)
    throw new Error(
      `the click store has version ${found} of its schema, not ${MIGRATIONS.length}: \`waypost admin prepare\` makes it`,
    );
}

export async function schemaVersion(client: ClickHouseClient, db: string): Promise<number> {
  const result = await client.query({
    query: `SELECT max(version) AS version FROM ${db}.migrations`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ version: number }>();
  return Number(row?.version ?? 0);
}

const createMigrations = (db: string) => `
CREATE TABLE IF NOT EXISTS ${db}.migrations (version UInt32, applied_at DateTime('UTC'))
ENGINE = ReplacingMergeTree ORDER BY version
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`;

/**
 * One row per click, which is its own identity: the sorting key ends in `event_id`, so a retried, overlapping or
 * replayed batch only adds copies that FINAL (and later a merge) folds into one. A copy has the same time, hence the
 * same partition, so FINAL can work partition by partition.
 *
 * Measured with a million rows, a link of 150,000 over 90 days: granules of 1,024 rows read a median link in half the
 * time of 8,192; storing columns of random bits uncompressed and the others as LZ4 costs a third more disk than ZSTD
 * and saves a sixth of the query. `min_age_to_force_merge` folds a month that gets no more writes into a single part (a
 * small link's query pays per part), and leaves the current month to ordinary merges.
 *
 * Rows expire one by one, in a merge that runs once a day for each part with such rows, after 100 days, plus one or two: a
 * part holds up to a month. `previous_visitor_hash` is 0 in almost all rows, hence compressed: without a previous secret.
 */
const createClicks = (db: string) => `
CREATE TABLE IF NOT EXISTS ${db}.${CLICKS_TABLE}
(
    event_id     UUID                         CODEC(NONE),
    slug         String                       CODEC(LZ4),
    clicked_at   DateTime64(3, 'UTC')         CODEC(Delta, LZ4),
    visitor_hash UInt64                       CODEC(NONE),
    previous_visitor_hash UInt64 DEFAULT 0    CODEC(LZ4),
    country      LowCardinality(FixedString(2)) DEFAULT 'ZZ',
    referrer     String                       CODEC(LZ4),
    device       Enum8('desktop' = 1, 'mobile' = 2, 'tablet' = 3),
    browser      LowCardinality(String),
    is_bot       Bool,
    ingested_at  DateTime('UTC') DEFAULT now() CODEC(Delta, LZ4),
    INDEX ix_ingested ingested_at TYPE minmax GRANULARITY 4
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(clicked_at)
PRIMARY KEY (slug, toDate(clicked_at))
ORDER BY (slug, toDate(clicked_at), clicked_at, event_id)
TTL toDateTime(clicked_at) + INTERVAL ${CLICK_RETENTION_DAYS} DAY
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 0, merge_with_ttl_timeout = 86400,
         fsync_after_insert = 1, fsync_part_directory = 1,
         min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1`;
