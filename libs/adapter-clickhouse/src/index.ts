export { clickhouseArchive } from './archive.ts';
export { clickhouseClickPurge } from './click-purge.ts';
export { clickhouseClickSink } from './click-sink.ts';
export { type ClickStatsOptions, clickhouseClickStats } from './click-stats.ts';
export { CLICKHOUSE, type ClickHouseServer, checkClickHouse, clickHouseAddress, connectClickHouse } from './client.ts';
export { type ClickHouseHealth, clickHouseHealth } from './health.ts';
export { expectClickHouseSchema, MIGRATION_NAMES, prepareClickHouse } from './schema.ts';
