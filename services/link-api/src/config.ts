/** What link-api reads from the environment as a process of its own. */
import { CLICKHOUSE, checkClickHouse } from '@waypost/adapter-clickhouse';
import { checkKafka, KAFKA } from '@waypost/adapter-kafka/settings';
import { POSTGRES } from '@waypost/adapter-postgres';
import { checkRedis, REDIS } from '@waypost/adapter-redis';
import {
  BASE_URLS,
  CREATIONS_PER_HOUR,
  DESTINATIONS,
  type Environment,
  OPERATOR_SOCKET,
  PROCESS,
  readSettings,
  type Settings,
  setting,
} from '@waypost/service-kit';

const ENGINES = { ...PROCESS, ...POSTGRES, ...KAFKA, ...CLICKHOUSE };

export const SETTINGS = {
  ...ENGINES,
  PORT: setting.port('REST API').default(8080),
  INTERNAL_PORT: setting.port('health and metrics').default(8090),
  ...BASE_URLS,
  ...REDIS,
  SCANNER_URL: setting.url('the scanner, by its internal port'),
  OPERATOR_SOCKET,
  CREATIONS_PER_HOUR,
  ...DESTINATIONS,
};

export const PREPARE_SETTINGS = {
  ...ENGINES,
  KAFKA_ACLS: setting
    .oneOf('whose rights are written into Kafka: `deploy/kafka/README.md`', 'none', 'services')
    .default('none'),
};

export type EnginesConfig = Settings<typeof ENGINES>;
export type LinkApiConfig = Settings<typeof SETTINGS>;
export type PrepareConfig = Settings<typeof PREPARE_SETTINGS>;

export const linkApiConfig = (environment: Environment) =>
  readSettings(SETTINGS, environment, checkKafka, checkClickHouse, checkRedis);

export const prepareConfig = (environment: Environment) =>
  readSettings(PREPARE_SETTINGS, environment, checkKafka, checkClickHouse);
