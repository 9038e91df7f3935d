/** What a redirector reads from the environment as a process of its own. */
import type { BlockList } from 'node:net';
import { availableParallelism } from 'node:os';
import {
  type Environment,
  type ProcessConfig,
  parsed,
  parseProxies,
  readSettings,
  setting,
} from '@waypost/service-kit';

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
  /** Threads that answer visitors. */
  readonly REDIRECT_WORKERS: number;
}

const MOST_WORKERS = 64;

/** `auto` leaves a core to everything else. Elsewhere than on Linux the kernel does not share a port out. */
export function redirectWorkers(text: string): number {
  const workers = text === 'auto' ? autoWorkers() : /^[1-9]\d?$/.test(text) ? Number(text) : Number.NaN;
  if (!(workers <= MOST_WORKERS)) throw new Error(`must be auto or a whole number from 1 to ${MOST_WORKERS}`);
  if (workers > 1 && process.platform !== 'linux') throw new Error('can be more than 1 on Linux only');
  return workers;
}

function autoWorkers(): number {
  return process.platform === 'linux' ? Math.min(MOST_WORKERS, Math.max(1, availableParallelism() - 1)) : 1;
}

const DEFAULTS = {
  PORT: '8081',
  INTERNAL_PORT: '8091',
  CLICK_LOG_MAX_BYTES: String(10 * 1024 ** 3),
  TRUSTED_PROXIES: 'none',
  REDIRECT_WORKERS: '1',
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
  REDIRECT_WORKERS: parsed(redirectWorkers),
};

export function redirectorConfig(environment: Environment): RedirectorConfig {
  return readSettings(SETTINGS, DEFAULTS, environment);
}
