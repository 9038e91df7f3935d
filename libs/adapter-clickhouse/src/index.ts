export { clickhouseArchive } from './archive.ts';
export { clickhouseClickPurge } from './click-purge.ts';
export { clickhouseClickSink } from './click-sink.ts';
export { clickhouseClickStats } from './click-stats.ts';
export { CLICKHOUSE, checkClickHouse, clickHouseAddress, connectClickHouse } from './client.ts';
export { clickHouseHealth } from './health.ts';
export { expectClickHouseSchema, MIGRATION_NAMES, prepareClickHouse } from './schema.ts';
export { clickhouseStoredClicks, SETTLE_SECONDS } from './stored-clicks.ts';
