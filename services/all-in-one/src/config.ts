/** The environment of the operator interface, read once; every fault is named at once. */
import { BlockList, isIP } from 'node:net';
import path from 'node:path';
import { type AllowedHosts, LIMITS, NO_ALLOWED_HOSTS, parseAllowed } from '@waypost/domain';
import { DEFAULT_FEEDS_FILE, type FeedSource, feedsFrom } from '@waypost/scanner';
import Joi from 'joi';

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
  readonly destinationHostsAllowed: AllowedHosts;
  readonly ownHosts: readonly string[];
  readonly feeds: readonly FeedSource[] | 'none';
  readonly logLevel: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/** As the operator interface says; given before validation, so that they are read like what a person writes. */
const DEFAULTS: Environment = {
  HOST: '127.0.0.1',
  PORT: '8080',
  REDIRECT_PORT: '8081',
  INTERNAL_PORT: '8090',
  DATA_DIR: './data',
  CREATIONS_PER_HOUR: String(LIMITS.creationsPerHour),
  TRUSTED_PROXIES: 'none',
  DESTINATION_HOSTS_ALLOWED: 'none',
  OWN_HOSTS: 'none',
  FEEDS: DEFAULT_FEEDS_FILE,
  LOG_LEVEL: 'info',
};

const port = Joi.string().custom((value: string, helpers) => {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= 65_535 ? number : says(helpers, 'must be a port, 1 to 65535');
});

const baseUrl = Joi.string().custom((value: string, helpers) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const plain = url !== undefined && /^https?:\/\/[^\s@]+$/i.test(value) && url.search === '' && url.hash === '';
  if (!plain || url.pathname !== '/') return says(helpers, 'must be like https://go.example.org, with no path');
  return url.origin;
});

/** Comma separated, or `none`. */
const list = <T>(parse: (entries: string[]) => T, none: T) =>
  Joi.string().custom((value: string, helpers) => {
    if (value === 'none') return none;
    const entries = value.split(',').map((entry) => entry.trim());
    if (entries.includes('')) return says(helpers, 'has an empty entry; write none for an empty list');
    try {
      return parse(entries);
    } catch (error) {
      return says(helpers, (error as Error).message);
    }
  });

const schema = Joi.object({
  HOST: Joi.string().custom((value: string, helpers) =>
    isIP(value) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(value)
      ? value
      : says(helpers, 'must be an IP address or a host name'),
  ),
  PORT: port,
  REDIRECT_PORT: port,
  INTERNAL_PORT: port,
  BASE_URL: baseUrl,
  REDIRECT_BASE_URL: baseUrl,
  DATA_DIR: Joi.string(),
  CREATIONS_PER_HOUR: Joi.string().custom((value: string, helpers) =>
    /^[1-9]\d{0,8}$/.test(value) ? Number(value) : says(helpers, 'must be a whole number from 1 to 999999999'),
  ),
  TRUSTED_PROXIES: list(parseProxies, new BlockList()),
  DESTINATION_HOSTS_ALLOWED: list(parseAllowed, NO_ALLOWED_HOSTS),
  OWN_HOSTS: list(parseHosts, []),
  FEEDS: Joi.string().custom((value: string, helpers) => {
    try {
      return feedsFrom(value);
    } catch (error) {
      return says(helpers, `must be none or a JSON file of feeds: ${(error as Error).message}`);
    }
  }),
  LOG_LEVEL: Joi.string().valid('error', 'warn', 'info', 'debug'),
})
  .messages({
    'string.empty': 'must not be empty',
    'any.only': 'must be one of {#valids}',
    says: '{#words}',
  })
  .prefs({ abortEarly: false, errors: { label: false, wrap: { array: false } }, stripUnknown: true });

function says(helpers: Joi.CustomHelpers, words: string) {
  return helpers.error('says', { words });
}

/** Throws a `ConfigError` whose message names every fault. */
export function readConfig(environment: Environment): Config {
  const { value, error } = schema.validate({ ...DEFAULTS, ...environment });
  const faults = new Map<string, string>();
  for (const {
    path: [name],
    message,
  } of error?.details ?? [])
    faults.set(String(name), message);

  const ports = ['PORT', 'REDIRECT_PORT', 'INTERNAL_PORT'] as const;
  for (const [i, name] of ports.entries()) {
    const same = ports.slice(0, i).find((earlier) => !faults.has(earlier) && value[earlier] === value[name]);
    if (same !== undefined && !faults.has(name)) faults.set(name, `must not be the same as ${same} (${value[name]})`);
  }
  if (faults.size > 0) {
    const lines = [...faults].map(
      ([name, words]) => `  ${name} ${words} (it is ${JSON.stringify(environment[name] ?? '')})`,
    );
    throw new ConfigError(
      `The configuration has ${faults.size === 1 ? 'a fault' : `${faults.size} faults`}:\n${lines.join('\n')}`,
    );
  }
  return {
    host: value.HOST,
    port: value.PORT,
    redirectPort: value.REDIRECT_PORT,
    internalPort: value.INTERNAL_PORT,
    baseUrl: value.BASE_URL ?? `http://localhost:${value.PORT}`,
    redirectBaseUrl: value.REDIRECT_BASE_URL ?? `http://localhost:${value.REDIRECT_PORT}`,
    dataDir: path.resolve(value.DATA_DIR),
    creationsPerHour: value.CREATIONS_PER_HOUR,
    trustedProxies: value.TRUSTED_PROXIES,
    destinationHostsAllowed: value.DESTINATION_HOSTS_ALLOWED,
    ownHosts: value.OWN_HOSTS,
    feeds: value.FEEDS,
    logLevel: value.LOG_LEVEL,
  };
}

function parseProxies(entries: string[]): BlockList {
  const proxies = new BlockList();
  const malformed: string[] = [];
  for (const entry of entries) {
    const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    const longest = family === 'ipv4' ? 32 : 128;
    const length = bits === undefined ? longest : Number(bits);
    if (isIP(address) === 0 || length > longest) malformed.push(entry);
    else proxies.addSubnet(address, length, family);
  }
  if (malformed.length > 0) throw new Error(`not an IP address or CIDR: ${malformed.join(', ')}`);
  return proxies;
}

function parseHosts(entries: string[]): string[] {
  const hosts = entries.map((entry) => entry.toLowerCase().replace(/\.$/, ''));
  const malformed = hosts.filter((host) => !/^(?!.*\.\.)[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(host));
  if (malformed.length > 0) throw new Error(`not a host name: ${malformed.join(', ')}`);
  return hosts;
}
