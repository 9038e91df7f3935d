export { startClickHouseFront } from './clickhouse-front.ts';
export { type Engine, freePort } from './engine.ts';
export { fetchKafka, startKafka } from './kafka.ts';
export { startPostgresServer } from './postgres-server.ts';
export { startRedis } from './redis.ts';
