/** What a redirector reads from the environment as a process of its own. */
import type { BlockList } from 'node:net';
import { type Environment, type ProcessConfig, parseProxies, readSettings, setting } from '@waypost/service-kit';

export interface RedirectorConfig extends ProcessConfig {
  readonly PORT: number;
  readonly INTERNAL_PORT: number;
  readonly REDIRECT_BASE_URL: string;
  readonly CONTACT: string;
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
  readonly KAFKA_BROKERS: readonly string[];
  /** The same for all redirectors, for good. */
  readonly VISITOR_SECRET: Buffer;
  /** A folder of this process alone, which survives its restarts. */
  readonly CLICK_LOG_DIR: string;
  readonly CLICK_LOG_MAX_BYTES: number;
  readonly TRUSTED_PROXIES: BlockList;
}

const DEFAULTS = {
  PORT: '8081',
  INTERNAL_PORT: '8091',
  CLICK_LOG_MAX_BYTES: String(10 * 1024 ** 3),
  TRUSTED_PROXIES: 'none',
};

const SETTINGS = {
  PORT: setting.port,
  INTERNAL_PORT: setting.port,
  REDIRECT_BASE_URL: setting.required(setting.baseUrl),
  CONTACT: setting.required(setting.text),
  DATABASE_URL: setting.required(setting.url('postgres', 'postgresql')),
  REDIS_URL: setting.required(setting.url('redis', 'rediss')),
  KAFKA_BROKERS: setting.required(setting.list((entries) => entries)),
  VISITOR_SECRET: setting.required(setting.secret),
  CLICK_LOG_DIR: setting.required(setting.text),
  CLICK_LOG_MAX_BYTES: setting.wholeNumber(1024 ** 2, 1024 ** 5),
  TRUSTED_PROXIES: setting.list(parseProxies),
};

export function redirectorConfig(environment: Environment): RedirectorConfig {
  return readSettings(SETTINGS, DEFAULTS, environment);
}
