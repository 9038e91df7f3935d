import { CLICKHOUSE, checkClickHouse } from '@waypost/adapter-clickhouse';
import { checkKafka, KAFKA } from '@waypost/adapter-kafka/settings';
import { type Environment, PROCESS, readSettings, setting } from '@waypost/settings';

export const SETTINGS = {
  ...PROCESS,
  PORT: setting.port('Internal port of health and metrics.').default(8093),
  ...KAFKA,
  ...CLICKHOUSE,
};

export const analyticsIngestConfig = (environment: Environment) =>
  readSettings(SETTINGS, environment, checkKafka, checkClickHouse);
