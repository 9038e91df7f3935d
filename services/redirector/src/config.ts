/** What a redirector reads from the environment as a process of its own. */
import type { BlockList } from 'node:net';
import { checkKafka, KAFKA_DEFAULTS, KAFKA_SETTINGS, type KafkaSettings } from '@waypost/adapter-kafka/settings';
import { databaseAddress } from '@waypost/adapter-postgres';
import { checkRedis, redisAddress } from '@waypost/adapter-redis';
import {
  type Environment,
  type ProcessConfig,
  parsed,
  parseProxies,
  readSettings,
  setting,
} from '@waypost/service-kit';
import { redirectWorkers } from './workers.ts';

export interface RedirectorConfig extends ProcessConfig, KafkaSettings {
  readonly PORT: number;
  readonly INTERNAL_PORT: number;
  readonly REDIRECT_BASE_URL: string;
  readonly CONTACT: string;
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
  readonly REDIS_CA_FILE?: string;
  /** The same for all redirectors, for good. */
  readonly VISITOR_SECRET: Buffer;
  /** A folder of this process alone, which survives its restarts. */
  readonly CLICK_LOG_DIR: string;
  readonly CLICK_LOG_MAX_BYTES: number;
  readonly TRUSTED_PROXIES: BlockList;
  /** Threads that answer visitors. */
  readonly REDIRECT_WORKERS: number;
}

const DEFAULTS = {
  ...KAFKA_DEFAULTS,
  PORT: '8081',
  INTERNAL_PORT: '8091',
  CLICK_LOG_MAX_BYTES: String(10 * 1024 ** 3),
  TRUSTED_PROXIES: 'none',
  REDIRECT_WORKERS: '1',
};

/** What security.txt may hold (RFC 9116): an e-mail address, or a page by https. */
export function contactFrom(text: string): string {
  if (text.length <= 300 && /^(mailto:)?[^\s@<>,;:]{1,64}@[^\s@<>,;:]{1,255}$/i.test(text)) return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || isHere) return text;
  throw new Error('must be an e-mail address or a page that begins with https://');
}

const SETTINGS = {
  PORT: setting.port,
  INTERNAL_PORT: setting.port,
  REDIRECT_BASE_URL: setting.required(setting.baseUrl),
  CONTACT: setting.required(parsed(contactFrom)),
  DATABASE_URL: setting.required(setting.address(databaseAddress)),
  REDIS_URL: setting.required(setting.address(redisAddress)),
  REDIS_CA_FILE: setting.pemFile,
  ...KAFKA_SETTINGS,
  VISITOR_SECRET: setting.required(setting.secret),
  CLICK_LOG_DIR: setting.required(setting.text),
  CLICK_LOG_MAX_BYTES: setting.wholeNumber(1024 ** 2, 1024 ** 5),
  TRUSTED_PROXIES: setting.list(parseProxies),
  REDIRECT_WORKERS: parsed(redirectWorkers),
};

export function redirectorConfig(environment: Environment): RedirectorConfig {
  return readSettings<RedirectorConfig>(SETTINGS, DEFAULTS, environment, (read, fault) => {
    checkKafka(read, fault);
    checkRedis(read, fault);
  });
}
