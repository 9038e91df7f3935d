/** What analytics-ingest reads from the environment as a process of its own. */
import { type Environment, type ProcessConfig, readSettings, setting } from '@waypost/service-kit';

export interface AnalyticsIngestConfig extends ProcessConfig {
  /** Health and metrics. */
  readonly PORT: number;
  readonly KAFKA_BROKERS: readonly string[];
  readonly CLICKHOUSE_URL: string;
}

const DEFAULTS = { PORT: '8093' };

const SETTINGS = {
  PORT: setting.port,
  KAFKA_BROKERS: setting.required(setting.list((entries) => entries)),
  CLICKHOUSE_URL: setting.required(setting.url('http', 'https')),
};

export function analyticsIngestConfig(environment: Environment): AnalyticsIngestConfig {
  return readSettings(SETTINGS, DEFAULTS, environment);
}
