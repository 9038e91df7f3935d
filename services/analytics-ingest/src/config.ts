/** What analytics-ingest reads from the environment as a process of its own. */
import { checkClickHouse, clickHouseAddress } from '@waypost/adapter-clickhouse';
import { checkKafka, KAFKA_DEFAULTS, KAFKA_SETTINGS, type KafkaSettings } from '@waypost/adapter-kafka/settings';
import { type Environment, type ProcessConfig, readSettings, setting } from '@waypost/service-kit';

export interface AnalyticsIngestConfig extends ProcessConfig, KafkaSettings {
  /** Health and metrics. */
  readonly PORT: number;
  readonly CLICKHOUSE_URL: string;
  readonly CLICKHOUSE_CA_FILE?: string;
}

const DEFAULTS = {
  ...KAFKA_DEFAULTS,
  PORT: '8093',
};

const SETTINGS = {
  PORT: setting.port,
  ...KAFKA_SETTINGS,
  CLICKHOUSE_URL: setting.required(setting.address(clickHouseAddress)),
  CLICKHOUSE_CA_FILE: setting.pemFile,
};

export function analyticsIngestConfig(environment: Environment): AnalyticsIngestConfig {
  return readSettings<AnalyticsIngestConfig>(SETTINGS, DEFAULTS, environment, (read, fault) => {
    checkKafka(read, fault);
    checkClickHouse(read, fault);
  });
}
