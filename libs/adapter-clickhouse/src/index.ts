export { clickhouseClickSink } from './click-sink.ts';
export { type ClickStatsOptions, clickhouseClickStats } from './click-stats.ts';
export { type ClickHouseServer, clickHouseAddress, connectClickHouse } from './client.ts';
export { type ClickHouseHealth, clickHouseHealth } from './health.ts';
export { prepareClickHouse } from './schema.ts';
