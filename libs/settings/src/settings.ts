/**
 * A setting is declared once: `PORT: setting.port('REST API').default(8080)`. It is read from the environment, becomes
 * `config.port` with its type, and gets a row in docs/settings.md (`scripts/settings-table.ts`). The `config.ts` of
 * each service reads the environment once and reports all faults together.
 */
import { type BlockList, isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { isIn, parseNetworks, percentDecoded, type VisitorSecret } from '@waypost/domain';
import { readFolder, readPem, readSecretFile } from './setting-files.ts';

/** The kernel limits the path of a socket to 108 bytes on Linux, and to 104 on other systems. */
export const SOCKET_PATH_MAX = 100;

export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

interface Declared<T> {
  readonly kind: string;
  readonly purpose: string;
  /** If true, no message contains the value. The value may also come from the file that `NAME_FILE` names. */
  readonly isSecret: boolean;
  /** Throws an error whose message continues the name of the setting. */
  readonly parse: (text: string) => T;
  /** The default value, and how the documents show it. Without it, the setting is required. */
  readonly absent?: { readonly text?: string; readonly shown: string };
}

export interface Setting<T> extends Declared<T> {
  /** The default is parsed like a value of the environment. `shown` is for the documents, if it is clearer. */
  default(text: string | number, shown?: string): Setting<T>;
  /** Makes the setting optional. `otherwise` says in the documents what happens without it. */
  optional(otherwise?: string): Setting<T | undefined>;
}

function declare<T>(declared: Declared<T>): Setting<T> {
  return {
    ...declared,
    default: (text, shown = `\`${text}\``) => declare({ ...declared, absent: { text: String(text), shown } }),
    optional: (otherwise = 'none') => declare<T | undefined>({ ...declared, absent: { shown: otherwise } }),
  };
}

function parsed<T>(kind: string, purpose: string, parse: (text: string) => T, isSecret = false): Setting<T> {
  const parseGiven = (text: string) => {
    if (text === '') throw new Error('must not be empty');
    return parse(text);
  };
  return declare({ kind, purpose, isSecret, parse: parseGiven });
}

const asWritten = (text: string) => text;

function parsePort(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > 65_535) throw new Error('must be a port from 1 to 65535');
  return number;
}

function parseHost(text: string): string {
  if (isIP(text) === 0 && !isHostName(text, /^[a-z0-9-]+$/i)) throw new Error('must be an IP address or a host name');
  return text;
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url !== undefined && /^https?:\/\/[^\s@?#]+$/i.test(text);
  if (!plain || url.pathname !== '/') throw new Error('must be a URL like https://go.example.org, without a path');
  return url.origin;
}

function parseHttpUrl(text: string): string {
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol))
    throw new Error('must be a URL that begins with http:// or https://');
  return text;
}

function parseShare(text: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 1)) throw new Error('must be a number from 0 to 1');
  return number;
}

function parseRotatingSecret(text: string): VisitorSecret {
  const secrets = text.split(',');
  if (secrets.length > 2 || !secrets.every((secret) => /^[0-9a-f]{64}$/i.test(secret)))
    throw new Error('must be 64 hexadecimal digits, or the new and the previous secret with a comma between them');
  const [current, previous] = secrets.map((secret) => Buffer.from(secret, 'hex'));
  if (previous?.equals(current!)) throw new Error('must not have the same secret twice');
  return { current: current!, previous };
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseTimeSpan(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined)
    throw new Error('must be a duration in minutes, hours or days, like 30m, 6h or 1d');
  return Number(count) * UNITS[unit]!;
}

function parseSocket(text: string): string {
  if (text !== 'none' && !(isAbsolute(text) && Buffer.byteLength(text) <= SOCKET_PATH_MAX))
    throw new Error(`must be none or an absolute path of at most ${SOCKET_PATH_MAX} bytes`);
  return text;
}

/** There is one function per kind of setting. The documents show `purpose`. */
export const setting = {
  parsed,
  text: (purpose: string) => parsed('text', purpose, asWritten),
  folder: (purpose: string) => parsed('path to a folder', purpose, readFolder),
  port: (purpose: string) => parsed('port', purpose, parsePort),
  host: (purpose: string) => parsed('IP address or host name', purpose, parseHost),
  /** A public address without a path and without a slash at the end. */
  baseUrl: (purpose: string) => parsed('URL without a path', purpose, parseBaseUrl),
  /** The address of a dependency. It may contain a user and a password. */
  url: (purpose: string) => parsed('URL', purpose, parseHttpUrl, true),
  /** The address of a database, broker or cache, with its password. `parse` throws if it cannot read the address. */
  address: <T>(purpose: string, parse: (text: string) => T) => parsed('URL', purpose, parse, true),
  wholeNumber: (purpose: string, min: number, max: number) =>
    parsed(`whole number, ${min} to ${max}`, purpose, (text) => {
      const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (!(number >= min && number <= max)) throw new Error(`must be a whole number from ${min} to ${max}`);
      return number;
    }),
  /** The value is in milliseconds. */
  timeSpan: (purpose: string) => parsed('duration like `30m`, `6h` or `1d`', purpose, parseTimeSpan),
  share: (purpose: string) => parsed('number, 0 to 1', purpose, parseShare),
  /** The entries are separated by commas; `none` adds nothing. */
  list: <T>(purpose: string, parse: (entries: string[]) => T) =>
    parsed('list', purpose, (text) => {
      const entries = text.split(',').map((entry) => entry.trim());
      if (entries.includes('')) throw new Error('has an empty entry. For an empty list, write none');
      return parse(entries.filter((entry) => entry !== 'none'));
    }),
  oneOf: <const V extends string>(purpose: string, ...values: readonly V[]): Setting<V> =>
    declare({
      kind: values.map((value) => `\`${value}\``).join(', '),
      purpose,
      isSecret: false,
      parse: (text) => {
        const choice = values.find((value) => value === text);
        if (choice === undefined) throw new Error(`must be one of ${values.join(', ')}`);
        return choice;
      },
    }),
  /** 32 random bytes in hexadecimal. During a rotation, a comma and the previous secret follow. No default. */
  rotatingSecret: (purpose: string) =>
    parsed('64 hexadecimal digits, or two secrets: `new,previous`', purpose, parseRotatingSecret, true),
  secretText: (purpose: string) => parsed('text', purpose, asWritten, true),
  /** The socket for operator commands: its path, or `none`. */
  socket: (purpose: string) => parsed('absolute path, or `none`', purpose, parseSocket),
  /** The path of a file with certificates or a key. The value is the content of the file. */
  pemFile: (purpose: string) => parsed('path to a PEM file', purpose, readPem),
} as const;

export type Declarations = Readonly<Record<string, Setting<unknown>>>;

type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Name extends string
    ? Lowercase<Name>
    : never;

/** The values of the declared settings, with their names in camel case. */
export type Settings<D extends Declarations> = {
  readonly [Name in keyof D as CamelCase<Name>]: D[Name] extends Setting<infer T> ? T : never;
};

/** Reports a fault of a setting. In the message, `problem` follows the name. */
export type Fault = (name: string, problem: string) => void;

/** If a setting has a fault, it is absent here or has its unparsed text. */
type Unchecked<D extends Declarations> = {
  readonly [Name in keyof Settings<D>]?: Settings<D>[Name] | string | undefined;
};

export type Check<D extends Declarations> = (read: Unchecked<D>, fault: Fault) => void;

/** Throws a `ConfigError` that names every fault and contains no secret. */
export function readSettings<D extends Declarations>(
  settings: D,
  environment: Environment,
  ...checks: readonly Check<NoInfer<D>>[]
): Settings<D> {
  const faults = new Map<string, string>();
  const fault: Fault = (name, problem) => {
    if (!faults.has(name)) faults.set(name, problem);
  };
  const secrets = Object.keys(settings).filter((name) => settings[name]!.isSecret);
  const fromFiles = secretsOfFiles(secrets, environment, fault);
  const values: Record<string, unknown> = {};
  for (const [name, { parse, absent }] of Object.entries(settings)) {
    const text = fromFiles[name] ?? textOf(environment, name) ?? absent?.text;
    if (text === undefined) {
      if (absent === undefined && !faults.has(fileOf(name))) fault(name, 'is required');
      continue;
    }
    try {
      values[camelCase(name)] = parse(text);
    } catch (error) {
      values[camelCase(name)] = text;
      fault(name, (error as Error).message);
    }
  }
  for (const check of checks) check(values as Unchecked<D>, fault);
  if (faults.size === 0) return values as Settings<D>;
  const shown = (name: string) =>
    secrets.includes(name) || environment[name] === undefined ? '' : ` (it is ${JSON.stringify(environment[name])})`;
  const lines = [...faults].map(([name, problem]) => `  ${name} ${problem}${shown(name)}`);
  const many = faults.size === 1 ? 'a fault' : `${faults.size} faults`;
  throw new ConfigError(`The configuration has ${many}:\n${lines.join('\n')}`);
}

/** OpenTelemetry demands that an empty variable counts as missing. All other variables must not be empty. */
function textOf(environment: Environment, name: string): string | undefined {
  return environment[name] === '' && name.startsWith('OTEL_') ? undefined : environment[name];
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const fileOf = (name: string) => `${name}_FILE`;

function secretsOfFiles(names: readonly string[], environment: Environment, fault: Fault): Record<string, string> {
  const secrets: Record<string, string> = {};
  for (const name of names) {
    const file = environment[fileOf(name)];
    if (file === undefined) continue;
    if (textOf(environment, name) !== undefined) fault(name, `and ${fileOf(name)} are both set. Remove one of them`);
    else {
      try {
        secrets[name] = readSecretFile(file);
      } catch (error) {
        fault(fileOf(name), (error as Error).message);
      }
    }
  }
  return secrets;
}

export function parseProxies(entries: readonly string[]): BlockList {
  const { networks, others } = parseNetworks(entries);
  if (others.length > 0) throw new Error(`has entries that are not IP addresses or CIDRs: ${others.join(', ')}`);
  // A proxy that is told to ask `localhost` may take either address.
  if (isIn(networks, '127.0.0.1')) networks.addAddress('::1', 'ipv6');
  return networks;
}

/** Decodes the user or the password in an address. */
export function decodedLogin(text: string): string {
  const decoded = percentDecoded(text);
  if (decoded === undefined) throw new Error('has an invalid % in its user or password. Write % as %25');
  return decoded;
}

export function parseHosts(entries: readonly string[]): string[] {
  const hosts = entries.map((entry) => entry.toLowerCase().replace(/\.$/, ''));
  const malformed = hosts.filter((name) => !isHostName(name, /^[a-z0-9_-]+$/));
  if (malformed.length > 0) throw new Error(`has entries that are not host names: ${malformed.join(', ')}`);
  return hosts;
}

/** Each label is checked on its own, so that the time grows only linearly with the length of any input. */
function isHostName(name: string, label: RegExp): boolean {
  if (name.length > 253) return false;
  return name.split('.').every((part) => label.test(part) && !part.startsWith('-') && !part.endsWith('-'));
}
