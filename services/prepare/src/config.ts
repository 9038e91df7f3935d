/** The settings of `prepare`. */
import { CLICKHOUSE, checkClickHouse } from '@waypost/adapter-clickhouse';
import { checkKafka, KAFKA } from '@waypost/adapter-kafka/settings';
import { POSTGRES } from '@waypost/adapter-postgres';
import { type Environment, PROCESS, readSettings, setting } from '@waypost/settings';

export const SETTINGS = {
  ...PROCESS,
  ...POSTGRES,
  ...KAFKA,
  ...CLICKHOUSE,
  KAFKA_ACLS: setting
    .oneOf('whose rights are written into Kafka: `deploy/kafka/README.md`', 'none', 'services')
    .default('none'),
};

export const prepareConfig = (environment: Environment) =>
  readSettings(SETTINGS, environment, checkKafka, checkClickHouse);

/** Of a backup and a restore, which leave Kafka alone. */
export const storesConfig = (environment: Environment) =>
  readSettings({ ...PROCESS, ...POSTGRES, ...CLICKHOUSE }, environment, checkClickHouse);
