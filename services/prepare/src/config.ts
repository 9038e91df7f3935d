import { CLICKHOUSE, checkClickHouse } from '@waypost/adapter-clickhouse';
import { checkKafka, KAFKA } from '@waypost/adapter-kafka/settings';
import { POSTGRES } from '@waypost/postgres';
import { type Environment, PROCESS, readSettings, setting } from '@waypost/settings';

export const SETTINGS = {
  ...PROCESS,
  ...POSTGRES,
  ...KAFKA,
  ...CLICKHOUSE,
  KAFKA_ACLS: setting
    .oneOf('Whether to create Kafka ACLs for the services (`deploy/kafka/README.md`).', 'none', 'services')
    .default('none'),
};

export const prepareConfig = (environment: Environment) =>
  readSettings(SETTINGS, environment, checkKafka, checkClickHouse);

/** For a backup and a restore, which do not use Kafka. */
export const storesConfig = (environment: Environment) =>
  readSettings({ ...PROCESS, ...POSTGRES, ...CLICKHOUSE }, environment, checkClickHouse);
