/** What link-api reads from the environment as a process of its own. */
import { type AllowedHosts, LIMITS, parseAllowed } from '@waypost/domain';
import { type Environment, type ProcessConfig, parseHosts, readSettings, setting } from '@waypost/service-kit';

/** The engines that `prepare` makes ready. */
export interface PrepareConfig extends ProcessConfig {
  readonly DATABASE_URL: string;
  readonly KAFKA_BROKERS: readonly string[];
  readonly CLICKHOUSE_URL: string;
}

export interface LinkApiConfig extends PrepareConfig {
  readonly PORT: number;
  readonly INTERNAL_PORT: number;
  readonly BASE_URL: string;
  readonly REDIRECT_BASE_URL: string;
  readonly REDIS_URL: string;
  readonly SCANNER_URL: string;
  readonly OPERATOR_SOCKET: string;
  readonly CREATIONS_PER_HOUR: number;
  readonly DESTINATION_HOSTS_ALLOWED: AllowedHosts;
  readonly OWN_HOSTS: readonly string[];
}

const DEFAULTS = {
  OPERATOR_SOCKET: 'none',
  PORT: '8080',
  INTERNAL_PORT: '8090',
  CREATIONS_PER_HOUR: String(LIMITS.creationsPerHour),
  DESTINATION_HOSTS_ALLOWED: 'none',
  OWN_HOSTS: 'none',
};

const PREPARE_SETTINGS = {
  DATABASE_URL: setting.required(setting.url('postgres', 'postgresql')),
  KAFKA_BROKERS: setting.required(setting.list((entries) => entries)),
  CLICKHOUSE_URL: setting.required(setting.url('http', 'https')),
};

const SETTINGS = {
  ...PREPARE_SETTINGS,
  PORT: setting.port,
  INTERNAL_PORT: setting.port,
  BASE_URL: setting.required(setting.baseUrl),
  REDIRECT_BASE_URL: setting.required(setting.baseUrl),
  REDIS_URL: setting.required(setting.url('redis', 'rediss')),
  SCANNER_URL: setting.required(setting.url('http', 'https')),
  OPERATOR_SOCKET: setting.socket,
  CREATIONS_PER_HOUR: setting.wholeNumber(1, 999_999_999),
  DESTINATION_HOSTS_ALLOWED: setting.list(parseAllowed),
  OWN_HOSTS: setting.list(parseHosts),
};

export function linkApiConfig(environment: Environment): LinkApiConfig {
  return readSettings(SETTINGS, DEFAULTS, environment);
}

export function prepareConfig(environment: Environment): PrepareConfig {
  return readSettings(PREPARE_SETTINGS, {}, environment);
}
