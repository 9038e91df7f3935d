import type { ClickHouseClient } from '@clickhouse/client';
import { CLICK_RETENTION_DAYS } from '@waypost/domain';

export const CLICKS_TABLE = 'clicks';

/** Quotes a name for SQL. Names come from our configuration, and a wrong one must throw here. */
export function identifier(name: string): string {
  if (!/^[A-Za-z_]\w{0,62}$/.test(name)) throw new Error(`not a ClickHouse name: ${JSON.stringify(name)}`);
  return `\`${name}\``;
}

/** Where the tables are, and their engines. `scripts/clickhouse-schema.ts` has those of a cluster. */
const ONE_NODE = {
  /** Follows the name of a database or table: `ON CLUSTER …`, or nothing. */
  on: '',
  clicksTable: CLICKS_TABLE,
  clicksEngine: 'ReplacingMergeTree(copy_rank)',
  migrationsEngine: 'ReplacingMergeTree',
};
export type TablePlace = Readonly<typeof ONE_NODE>;

/**
 * Each entry raises the schema by one version and is never edited after its release. Two processes that start together
 * both run it, so every statement needs IF NOT EXISTS.
 */
const MIGRATIONS: readonly ((db: string, place: TablePlace) => readonly string[])[] = [
  (db, place) => [createClicks(db, place)],
];

export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map((_, index) => String(index + 1));

/**
 * Creates or updates the database and its tables. If they are up to date, it only makes two look-ups. Rejects if the
 * store is a cluster with tables of an earlier version.
 */
export async function prepareClickHouse(client: ClickHouseClient, database: string): Promise<void> {
  const db = identifier(database);
  for (const query of createBasis(db, ONE_NODE)) await client.command({ query });
  const applied = await schemaVersion(client, db);
  if (applied < MIGRATIONS.length) await expectLocalClicks(client, database);
  for (const [index, statements] of MIGRATIONS.entries()) {
    const version = index + 1;
    if (version <= applied) continue;
    for (const query of [...statements(db, ONE_NODE), recordVersion(db, version)]) await client.command({ query });
  }
}

/** Returns the statements for an empty store: the tables, and the versions that they then have. */
export function schemaStatements(database: string, place: TablePlace = ONE_NODE) {
  const db = identifier(database);
  return {
    tables: [...createBasis(db, place), ...MIGRATIONS.flatMap((statements) => statements(db, place))],
    versions: MIGRATIONS.map((_, index) => recordVersion(db, index + 1)),
  };
}

/** A statement about a distributed table does not change the tables on its servers, so an operator must do that. */
async function expectLocalClicks(client: ClickHouseClient, database: string): Promise<void> {
  const result = await client.query({
    query: 'SELECT engine FROM system.tables WHERE database = {database:String} AND name = {table:String}',
    query_params: { database, table: CLICKS_TABLE },
    format: 'JSONEachRow',
  });
  const [clicks] = await result.json<{ engine: string }>();
  if (clicks?.engine === 'Distributed')
    throw new Error('the click store is a cluster. Run deploy/clickhouse/cluster.sql of this version first.');
}

/**
 * Rejects if a migration of this version is missing. Changes nothing, so a process without the right to create tables
 * can use it.
 */
export async function expectClickHouseSchema(client: ClickHouseClient, database: string): Promise<void> {
  const version = await schemaVersion(client, identifier(database));
  if (version < MIGRATIONS.length)
    throw new Error(
      `the click store has version ${version} of its schema, not ${MIGRATIONS.length}. Run \`waypost admin prepare\`.`,
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

/** chDB has another default engine, so the first statement names the engine. */
const createBasis = (db: string, { on, migrationsEngine }: TablePlace) => [
  `CREATE DATABASE IF NOT EXISTS ${db}${on} ENGINE = Atomic`,
  `CREATE TABLE IF NOT EXISTS ${db}.migrations${on} (version UInt32, applied_at DateTime('UTC'))
ENGINE = ${migrationsEngine} ORDER BY version
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
];

const recordVersion = (db: string, version: number) =>
  `INSERT INTO ${db}.migrations SETTINGS async_insert = 0 SELECT ${version}, now()`;

/**
 * The table has one row per click. The sorting key begins with the account, whose clicks are then read in one piece
 * (libs/domain/decisions/0050-clicks-by-account.md). It ends in `event_id`, so a repeated batch only adds copies, which
 * FINAL and later a merge reduce to one. Copies have the same time and are in the same partition, so FINAL can work
 * partition by partition. The copy with the highest `copy_rank` stays, which is the earliest. Webhooks read clicks in
 * the order in which they were first stored, so that time must not change. `nowInBlock` is the time when the rows of an
 * insert are complete; `now` would be when its first byte came.
 *
 * All this was measured with a million rows, on a link of 150,000 over 90 days. With granules of 1,024 rows a median
 * link is read in half the time of 8,192. Random columns are not compressed and the others use LZ4: that takes a third
 * more disk than ZSTD and makes the query a sixth faster. A query on a small link takes longer with more parts, so
 * `min_age_to_force_merge` merges a month without new writes into one part.
 *
 * Rows expire one by one after 100 days, in a merge that runs once a day for each part with such rows.
 * `previous_visitor_hash` is 0 in almost all rows, so it is compressed.
 */
const createClicks = (db: string, { on, clicksTable, clicksEngine }: TablePlace) =>
  `CREATE TABLE IF NOT EXISTS ${db}.${clicksTable}${on}
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
ENGINE = ${clicksEngine}
PARTITION BY toYYYYMM(clicked_at)
PRIMARY KEY (account_id, slug, toDate(clicked_at))
ORDER BY (account_id, slug, toDate(clicked_at), clicked_at, event_id)
TTL toDateTime(clicked_at) + INTERVAL ${CLICK_RETENTION_DAYS} DAY
SETTINGS index_granularity = 1024, ttl_only_drop_parts = 0, merge_with_ttl_timeout = 86400,
         fsync_after_insert = 1, fsync_part_directory = 1,
         min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1`;
