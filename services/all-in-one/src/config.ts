/** The environment of the operator interface. */
import type { BlockList } from 'node:net';
import path from 'node:path';
import { type AllowedHosts, LIMITS, parseAllowed } from '@waypost/domain';
import { redirectWorkers } from '@waypost/redirector';
import { DEFAULT_FEEDS_FILE, type FeedSource, feedsFrom } from '@waypost/scanner';
import {
  type Environment,
  type ProcessConfig,
  parsed,
  parseHosts,
  parseProxies,
  readSettings,
  setting,
  type TracingConfig,
} from '@waypost/service-kit';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly redirectPort: number;
  readonly internalPort: number;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
  readonly dataDir: string;
  readonly creationsPerHour: number;
  readonly trustedProxies: BlockList;
  /** Threads that answer visitors. */
  readonly redirectWorkers: number;
  readonly destinationHostsAllowed: AllowedHosts;
  readonly ownHosts: readonly string[];
  readonly feeds: readonly FeedSource[] | 'none';
  readonly logLevel: string;
  readonly tracing: TracingConfig;
}

const DEFAULTS = {
  HOST: '127.0.0.1',
  PORT: '8080',
  REDIRECT_PORT: '8081',
  INTERNAL_PORT: '8090',
  DATA_DIR: './data',
  CREATIONS_PER_HOUR: String(LIMITS.creationsPerHour),
  TRUSTED_PROXIES: 'none',
  REDIRECT_WORKERS: '1',
  DESTINATION_HOSTS_ALLOWED: 'none',
  OWN_HOSTS: 'none',
  FEEDS: DEFAULT_FEEDS_FILE,
};

const SETTINGS = {
  PORT: setting.port,
  REDIRECT_PORT: setting.port,
  INTERNAL_PORT: setting.port,
  BASE_URL: setting.baseUrl,
  REDIRECT_BASE_URL: setting.baseUrl,
  DATA_DIR: setting.text,
  CREATIONS_PER_HOUR: setting.wholeNumber(1, 999_999_999),
  TRUSTED_PROXIES: setting.list(parseProxies),
  REDIRECT_WORKERS: parsed(redirectWorkers),
  DESTINATION_HOSTS_ALLOWED: setting.list(parseAllowed),
  OWN_HOSTS: setting.list(parseHosts),
  FEEDS: parsed(feedsFrom),
};

interface Values extends ProcessConfig {
  readonly PORT: number;
  readonly REDIRECT_PORT: number;
  readonly INTERNAL_PORT: number;
  readonly BASE_URL?: string;
  readonly REDIRECT_BASE_URL?: string;
  readonly DATA_DIR: string;
  readonly CREATIONS_PER_HOUR: number;
  readonly TRUSTED_PROXIES: BlockList;
  readonly REDIRECT_WORKERS: number;
  readonly DESTINATION_HOSTS_ALLOWED: AllowedHosts;
  readonly OWN_HOSTS: readonly string[];
  readonly FEEDS: readonly FeedSource[] | 'none';
}

const PORTS = ['PORT', 'REDIRECT_PORT', 'INTERNAL_PORT'] as const;

/** Throws a `ConfigError` whose message names every fault. */
export function readConfig(environment: Environment): Config {
  const values = readSettings<Values>(SETTINGS, DEFAULTS, environment, (read, fault) => {
    for (const [i, name] of PORTS.entries()) {
      const same = PORTS.slice(0, i).find((earlier) => read[earlier] === read[name]);
      if (same !== undefined) fault(name, `must not be the same as ${same}`);
    }
  });
  return {
    host: values.HOST,
    port: values.PORT,
    redirectPort: values.REDIRECT_PORT,
    internalPort: values.INTERNAL_PORT,
    baseUrl: values.BASE_URL ?? `http://localhost:${values.PORT}`,
    redirectBaseUrl: values.REDIRECT_BASE_URL ?? `http://localhost:${values.REDIRECT_PORT}`,
    dataDir: path.resolve(values.DATA_DIR),
    creationsPerHour: values.CREATIONS_PER_HOUR,
    trustedProxies: values.TRUSTED_PROXIES,
    redirectWorkers: values.REDIRECT_WORKERS,
    destinationHostsAllowed: values.DESTINATION_HOSTS_ALLOWED,
    ownHosts: values.OWN_HOSTS,
    feeds: values.FEEDS,
    logLevel: values.LOG_LEVEL,
    tracing: values,
  };
}
