/**
 * Reads `DATABASE_URL`, a connection string as libpq defines it. Any unknown parameter is an error, because a misspelt
 * request for TLS must not be ignored.
 */
import { readPem, setting } from '@waypost/settings';
import { parse } from 'pg-connection-string';

export interface DatabaseAddress {
  /** A host name, an IP address, or the directory of a unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  /** This is always set, because the driver would otherwise use PGSSLMODE. */
  readonly ssl: false | DatabaseTls;
  /** Command-line options of the server, as `-c name=value`. */
  readonly options?: string;
  readonly applicationName?: string;
}

export interface DatabaseTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** If false, the connection is encrypted but the server's certificate is not verified. */
  readonly rejectUnauthorized?: boolean;
  readonly checkServerIdentity?: () => undefined;
}

const TEXT_PARAMETERS = ['host', 'port', 'user', 'password', 'options', 'application_name'];
const FILE_PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey'];
const KNOWN = [...TEXT_PARAMETERS, ...FILE_PARAMETERS, 'sslmode'];
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'];

export const POSTGRES = {
  /** The value stays a URL because it is sent to threads. Each new pool reads the certificate files named in it. */
  DATABASE_URL: setting.address('PostgreSQL, like `postgres://user:password@host:5432/waypost`', (url) => {
    databaseAddress(url);
    return url;
  }),
};

/** Throws an error whose message continues the name of the setting. It contains no value except that of `sslmode`. */
export function databaseAddress(url: string): DatabaseAddress {
  if (!/^postgres(ql)?:\/\//i.test(url)) throw new Error('must begin with postgres:// or postgresql://');
  if (url.includes('#')) throw new Error('has a #, which is written %23');
  const parameters = parametersOf(url);
  const mode = parameters.get('sslmode') ?? 'disable';
  if (['allow', 'prefer'].includes(mode))
    throw new Error(`has sslmode=${mode}, which leaves TLS to chance: use disable, require, verify-ca or verify-full`);
  if (!MODES.includes(mode)) throw new Error(`has an sslmode that is not known; it may be ${MODES.join(', ')}`);
  const files = filesOf(parameters, mode);

  const { host, port, user, password, database } = parsed(withoutTls(url, parameters));
  if (!user) throw new Error('names no user');
  if (!host) throw new Error('names no host');
  if (host.includes(',')) throw new Error('names several hosts, of which Waypost uses one alone');
  const number = port ? Number(port) : 5432;
  if (!(Number.isInteger(number) && number >= 1 && number <= 65_535)) throw new Error('has a port that is no port');
  if (host.startsWith('/') && mode !== 'disable')
    throw new Error(`has sslmode=${mode} for a unix socket, which knows no TLS`);
  const options = parameters.get('options');
  const applicationName = parameters.get('application_name');
  return {
    host,
    port: number,
    user,
    ...(password ? { password } : {}),
    database: database || 'waypost',
    ssl: tlsOf(mode, files),
    ...(options === undefined ? {} : { options }),
    ...(applicationName === undefined ? {} : { applicationName }),
  };
}

function parametersOf(url: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '')) {
    if (!KNOWN.includes(name)) throw new Error(`has the parameter ${name.slice(0, 50)}, which is not known`);
    if (parameters.has(name)) throw new Error(`has the parameter ${name} twice`);
    if (value === '') throw new Error(`has the parameter ${name} without a value`);
    parameters.set(name, value);
  }
  return parameters;
}

type TlsFiles = Partial<Record<'sslrootcert' | 'sslcert' | 'sslkey', string>>;

function filesOf(parameters: ReadonlyMap<string, string>, mode: string): TlsFiles {
  const files: Record<string, string> = {};
  for (const name of FILE_PARAMETERS) {
    const file = parameters.get(name);
    if (file === undefined) continue;
    if (mode === 'disable') throw new Error(`has ${name} without an sslmode that uses TLS`);
    if (name === 'sslrootcert' && file === 'system') continue; // libpq uses this name for the public authorities
    try {
      files[name] = readPem(file);
    } catch (error) {
      throw new Error(`has the parameter ${name}, which ${(error as Error).message}`);
    }
  }
  if ((files.sslcert === undefined) !== (files.sslkey === undefined))
    throw new Error('has only one of sslcert and sslkey');
  if (mode === 'verify-ca' && files.sslrootcert === undefined)
    throw new Error('has sslmode=verify-ca without sslrootcert: any public authority would vouch for any server');
  return files;
}

/** Each mode means what it means in libpq. */
function tlsOf(mode: string, { sslrootcert: ca, sslcert: cert, sslkey: key }: TlsFiles): false | DatabaseTls {
  if (mode === 'disable') return false;
  const nameIsChecked = mode === 'verify-full';
  const verified = nameIsChecked || mode === 'verify-ca' || ca !== undefined;
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(verified ? {} : { rejectUnauthorized: false }),
    ...(verified && !nameIsChecked ? { checkServerIdentity: () => undefined } : {}),
  };
}

/** Removes the TLS parameters, because the driver would read the files again and warn about some modes. */
function withoutTls(url: string, parameters: ReadonlyMap<string, string>): string {
  const textOnly = [...parameters].filter(([name]) => TEXT_PARAMETERS.includes(name));
  const [address] = url.split('?', 1);
  if (textOnly.length === 0) return address!;
  return `${address}?${textOnly.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

function parsed(url: string) {
  try {
    return parse(url);
  } catch {
    throw new Error('cannot be read; what is special in a password is written like %40 for @');
  }
}
