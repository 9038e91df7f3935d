/** What link-api reads from the environment as a process of its own. */
import { checkClickHouse, clickHouseAddress } from '@waypost/adapter-clickhouse';
import { checkKafka, KAFKA_DEFAULTS, KAFKA_SETTINGS, type KafkaSettings } from '@waypost/adapter-kafka/settings';
import { databaseAddress } from '@waypost/adapter-postgres';
import { checkRedis, redisAddress } from '@waypost/adapter-redis';
import { type AllowedHosts, LIMITS, parseAllowed } from '@waypost/domain';
import { type Environment, type ProcessConfig, parseHosts, readSettings, setting } from '@waypost/service-kit';

interface EnginesConfig extends ProcessConfig, KafkaSettings {
  readonly DATABASE_URL: string;
  readonly CLICKHOUSE_URL: string;
  readonly CLICKHOUSE_CA_FILE?: string;
}

export interface PrepareConfig extends EnginesConfig {
  /** Whether Kafka is told what the services' users may do (deploy/kafka/README.md). */
  readonly KAFKA_ACLS: 'none' | 'services';
}

export interface LinkApiConfig extends EnginesConfig {
  readonly PORT: number;
  readonly INTERNAL_PORT: number;
  readonly BASE_URL: string;
  readonly REDIRECT_BASE_URL: string;
  readonly REDIS_URL: string;
  readonly REDIS_CA_FILE?: string;
  readonly SCANNER_URL: string;
  readonly OPERATOR_SOCKET: string;
  readonly CREATIONS_PER_HOUR: number;
  readonly DESTINATION_HOSTS_ALLOWED: AllowedHosts;
  readonly OWN_HOSTS: readonly string[];
}

const DEFAULTS = {
  ...KAFKA_DEFAULTS,
  OPERATOR_SOCKET: 'none',
  PORT: '8080',
  INTERNAL_PORT: '8090',
  CREATIONS_PER_HOUR: String(LIMITS.creationsPerHour),
  DESTINATION_HOSTS_ALLOWED: 'none',
  OWN_HOSTS: 'none',
};

const ENGINE_SETTINGS = {
  DATABASE_URL: setting.required(setting.address(databaseAddress)),
  ...KAFKA_SETTINGS,
  CLICKHOUSE_URL: setting.required(setting.address(clickHouseAddress)),
  CLICKHOUSE_CA_FILE: setting.pemFile,
};

const SETTINGS = {
  ...ENGINE_SETTINGS,
  PORT: setting.port,
  INTERNAL_PORT: setting.port,
  BASE_URL: setting.required(setting.baseUrl),
  REDIRECT_BASE_URL: setting.required(setting.baseUrl),
  REDIS_URL: setting.required(setting.address(redisAddress)),
  REDIS_CA_FILE: setting.pemFile,
  SCANNER_URL: setting.required(setting.url('http', 'https')),
  OPERATOR_SOCKET: setting.socket,
  CREATIONS_PER_HOUR: setting.wholeNumber(1, 999_999_999),
  DESTINATION_HOSTS_ALLOWED: setting.list(parseAllowed),
  OWN_HOSTS: setting.list(parseHosts),
};

const PREPARE_SETTINGS = { ...ENGINE_SETTINGS, KAFKA_ACLS: setting.oneOf('none', 'services') };
const PREPARE_DEFAULTS = { ...KAFKA_DEFAULTS, KAFKA_ACLS: 'none' };

export function linkApiConfig(environment: Environment): LinkApiConfig {
  return readSettings<LinkApiConfig>(SETTINGS, DEFAULTS, environment, (read, fault) => {
    checkKafka(read, fault);
    checkClickHouse(read, fault);
    checkRedis(read, fault);
  });
}

export function prepareConfig(environment: Environment): PrepareConfig {
  return readSettings<PrepareConfig>(PREPARE_SETTINGS, PREPARE_DEFAULTS, environment, (read, fault) => {
    checkKafka(read, fault);
    checkClickHouse(read, fault);
  });
}
