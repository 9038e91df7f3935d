/** What link-api reads from the environment as a process of its own. */
import { type AllowedHosts, LIMITS, parseAllowed } from '@waypost/domain';
import { type Environment, parseHosts, readSettings, setting } from '@waypost/service-kit';

export interface LinkApiConfig {
  readonly HOST: string;
  readonly PORT: number;
  readonly INTERNAL_PORT: number;
  readonly BASE_URL: string;
  readonly REDIRECT_BASE_URL: string;
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
  readonly KAFKA_BROKERS: readonly string[];
  readonly CLICKHOUSE_URL: string;
  readonly SCANNER_URL: string;
  readonly OPERATOR_SECRET: Buffer;
  readonly CREATIONS_PER_HOUR: number;
  readonly DESTINATION_HOSTS_ALLOWED: AllowedHosts;
  readonly OWN_HOSTS: readonly string[];
  readonly LOG_LEVEL: string;
}

const DEFAULTS = {
  HOST: '0.0.0.0',
  PORT: '8080',
  INTERNAL_PORT: '8090',
  CREATIONS_PER_HOUR: String(LIMITS.creationsPerHour),
  DESTINATION_HOSTS_ALLOWED: 'none',
  OWN_HOSTS: 'none',
  LOG_LEVEL: 'info',
};

const SETTINGS = {
  HOST: setting.host,
  PORT: setting.port,
  INTERNAL_PORT: setting.port,
  BASE_URL: setting.required(setting.baseUrl),
  REDIRECT_BASE_URL: setting.required(setting.baseUrl),
  DATABASE_URL: setting.required(setting.url('postgres', 'postgresql')),
  REDIS_URL: setting.required(setting.url('redis', 'rediss')),
  KAFKA_BROKERS: setting.required(setting.list((entries) => entries)),
  CLICKHOUSE_URL: setting.required(setting.url('http', 'https')),
  SCANNER_URL: setting.required(setting.url('http', 'https')),
  OPERATOR_SECRET: setting.required(setting.secret),
  CREATIONS_PER_HOUR: setting.wholeNumber(1, 999_999_999),
  DESTINATION_HOSTS_ALLOWED: setting.list(parseAllowed),
  OWN_HOSTS: setting.list(parseHosts),
  LOG_LEVEL: setting.logLevel,
};

export function linkApiConfig(environment: Environment): LinkApiConfig {
  return readSettings(SETTINGS, DEFAULTS, environment);
}
