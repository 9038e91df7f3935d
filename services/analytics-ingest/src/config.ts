/** What analytics-ingest reads from the environment as a process of its own. */
import { type Environment, readSettings, setting } from '@waypost/service-kit';

export interface AnalyticsIngestConfig {
  readonly HOST: string;
  /** Health and metrics. */
  readonly PORT: number;
  readonly KAFKA_BROKERS: readonly string[];
  readonly CLICKHOUSE_URL: string;
  readonly LOG_LEVEL: string;
}

const DEFAULTS = { HOST: '0.0.0.0', PORT: '8093', LOG_LEVEL: 'info' };

const SETTINGS = {
  HOST: setting.host,
  PORT: setting.port,
  KAFKA_BROKERS: setting.required(setting.list((entries) => entries)),
  CLICKHOUSE_URL: setting.required(setting.url('http', 'https')),
  LOG_LEVEL: setting.logLevel,
};

export function analyticsIngestConfig(environment: Environment): AnalyticsIngestConfig {
  return readSettings(SETTINGS, DEFAULTS, environment);
}
