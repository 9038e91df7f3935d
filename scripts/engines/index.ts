export { startClickHouseFront } from './clickhouse-front.ts';
export { type Engine, freePort, type ProcessRun, startProgram } from './engine.ts';
export { fetchKafka, startKafka, startKafkaCluster } from './kafka.ts';
export { passwords } from './passwords.ts';
export { startPgBouncer } from './pgbouncer.ts';
export { type PostgresServer, startPostgresServer } from './postgres-server.ts';
export {
  type RedisCluster,
  type RedisOptions,
  type RedisSentinels,
  redisCli,
  startRedis,
  startRedisCluster,
  startRedisSentinels,
} from './redis.ts';
export { makeRoles } from './roles.ts';
