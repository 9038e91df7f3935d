/** Reads the environment once, into one object, and names every fault at once. Each service's `config.ts` says which. */
import { BlockList, isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import Joi from 'joi';
import { SOCKET_PATH_MAX } from './operator.ts';
import { readPem, readSecretFile } from './setting-files.ts';
import type { TracingConfig } from './tracing.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Setting = Joi.StringSchema;

/** A setting that is read by `parse`, which throws what is wrong with it. */
export function parsed(parse: (text: string) => unknown): Setting {
  return Joi.string().custom((text: string, helpers) => {
    try {
      return parse(text);
    } catch (error) {
      return helpers.error('problem', { words: (error as Error).message });
    }
  });
}

const port = parsed((text) => {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 65_535) throw new Error('must be a port, 1 to 65535');
  return number;
});

const host = parsed((text) => {
  if (isIP(text) === 0 && !isHostName(text, /^[a-z0-9-]+$/i)) throw new Error('must be an IP address or a host name');
  return text;
});

/** An address that others are told, without a path or a trailing slash. */
const baseUrl = parsed((text) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && /^https?:\/\/[^\s@?#]+$/i.test(text);
  if (!plain || url.pathname !== '/') throw new Error('must be like https://go.example.org, with no path');
  return url.origin;
});

/** The value is in no message, and may come from the file that `NAME_FILE` names. */
const secret = (of: Setting) => of.meta({ secret: true }) as Setting;

/** The address of an engine, which holds a password. `parse`, the adapter's own, throws what it does not understand. */
const address = (parse: (text: string) => unknown) =>
  secret(
    parsed((text) => {
      parse(text);
      return text;
    }),
  );

/** The address of a neighbour; it may hold a user and a password. */
const url = (...protocols: string[]) =>
  address((text) => {
    const read = URL.canParse(text) ? new URL(text) : undefined;
    if (read === undefined || !protocols.includes(read.protocol.slice(0, -1))) {
      throw new Error(`must be a URL that begins with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`);
    }
  });

const wholeNumber = (min: number, max: number) =>
  parsed((text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(number >= min && number <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
    return number;
  });

/** Comma separated, or `none`. */
const list = (parse: (entries: string[]) => unknown) =>
  parsed((text) => {
    if (text === 'none') return parse([]);
    const entries = text.split(',').map((entry) => entry.trim());
    if (entries.includes('')) throw new Error('has an empty entry; write none for an empty list');
    return parse(entries);
  });

const share = parsed((text) => {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 1)) throw new Error('must be a number from 0 to 1');
  return number;
});

export const setting = {
  text: Joi.string() as Setting,
  port,
  host,
  baseUrl,
  url,
  wholeNumber,
  list,
  oneOf: (...values: string[]) => Joi.string().valid(...values) as Setting,
  /** 32 random bytes in hexadecimal digits. No secret has a default. */
  secret: secret(
    parsed((text) => {
      if (!/^[0-9a-f]{64}$/i.test(text)) throw new Error('must be 64 hexadecimal digits');
      return Buffer.from(text, 'hex');
    }),
  ),
  /** Where operator commands are answered: a path, or `none`. */
  socket: parsed((text) => {
    if (text !== 'none' && !(isAbsolute(text) && Buffer.byteLength(text) <= SOCKET_PATH_MAX))
      throw new Error(`must be none or an absolute path of at most ${SOCKET_PATH_MAX} bytes`);
    return text;
  }),
  secretText: secret(Joi.string()),
  address,
  /** The path of a file of certificates or of a key; its content is the value. */
  pemFile: parsed(readPem),
  required: (of: Setting) => of.required() as Setting,
} as const;

/** What every process reads, whatever else it reads. The two OTEL_ names are OpenTelemetry's own. */
export interface ProcessConfig extends TracingConfig {
  readonly HOST: string;
  readonly LOG_LEVEL: string;
}

const PROCESS_DEFAULTS = { HOST: '0.0.0.0', LOG_LEVEL: 'info', OTEL_TRACES_SAMPLER_ARG: '0.01' };

const PROCESS_SETTINGS = {
  HOST: setting.host,
  LOG_LEVEL: setting.oneOf('error', 'warn', 'info', 'debug'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https'),
  OTEL_TRACES_SAMPLER_ARG: share,
};

export interface Settings {
  readonly [name: string]: Setting;
}

/**
 * Defaults are read like what a person writes. `check` adds faults that concern several settings. Throws a `ConfigError`
 * whose message names every fault; a secret's value is not repeated in it.
 */
export function readSettings<T extends ProcessConfig>(
  settings: Settings,
  defaults: Environment,
  environment: Environment,
  check: (values: T, fault: (name: string, words: string) => void) => void = () => undefined,
): T {
  const all: Settings = { ...PROCESS_SETTINGS, ...settings };
  const schema = Joi.object(all)
    .messages({
      'any.required': 'must be given',
      'string.empty': 'must not be empty',
      'any.only': 'must be one of {#valids}',
      problem: '{#words}',
    })
    .prefs({ abortEarly: false, errors: { label: false, wrap: { array: false } }, stripUnknown: true });
  const faults = new Map<string, string>();
  const secrets = Object.keys(all).filter((name) => isSecret(all[name]!));
  const fromFiles = secretsOfFiles(secrets, environment, (name, words) => faults.set(name, words));
  const { value, error } = schema.validate({ ...PROCESS_DEFAULTS, ...defaults, ...environment, ...fromFiles });
  for (const { path, message } of error?.details ?? []) {
    const name = String(path[0]);
    if (!faults.has(name) && !faults.has(fileOf(name))) faults.set(name, message);
  }
  check(value as T, (name, words) => {
    if (!faults.has(name)) faults.set(name, words);
  });
  if (faults.size === 0) return value as T;
  const shown = (name: string) =>
    secrets.includes(name) || environment[name] === undefined ? '' : ` (it is ${JSON.stringify(environment[name])})`;
  const lines = [...faults].map(([name, words]) => `  ${name} ${words}${shown(name)}`);
  const many = faults.size === 1 ? 'a fault' : `${faults.size} faults`;
  throw new ConfigError(`The configuration has ${many}:\n${lines.join('\n')}`);
}

function isSecret(of: Setting): boolean {
  const { metas } = of.describe() as { metas?: readonly { secret?: boolean }[] };
  return metas?.some((meta) => meta.secret) ?? false;
}

const fileOf = (name: string) => `${name}_FILE`;

function secretsOfFiles(
  names: readonly string[],
  environment: Environment,
  fault: (name: string, words: string) => void,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const file = environment[fileOf(name)];
    if (file === undefined) continue;
    if (environment[name] !== undefined) fault(name, `and ${fileOf(name)} are both given: leave one of them out`);
    else {
      try {
        found[name] = readSecretFile(file);
      } catch (error) {
        fault(fileOf(name), (error as Error).message);
      }
    }
  }
  return found;
}

/** IP addresses and CIDRs. */
export function parseProxies(entries: readonly string[]): BlockList {
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
  if (malformed.length > 0) throw new Error(`names what is no IP address or CIDR: ${malformed.join(', ')}`);
  return proxies;
}

export function parseHosts(entries: readonly string[]): string[] {
  const hosts = entries.map((entry) => entry.toLowerCase().replace(/\.$/, ''));
  const malformed = hosts.filter((name) => !isHostName(name, /^[a-z0-9_-]+$/));
  if (malformed.length > 0) throw new Error(`names what is no host name: ${malformed.join(', ')}`);
  return hosts;
}

/** By labels, each of one class of characters: linear in whatever it is given. */
function isHostName(name: string, label: RegExp): boolean {
  if (name.length > 253) return false;
  return name.split('.').every((part) => label.test(part) && !part.startsWith('-') && !part.endsWith('-'));
}
