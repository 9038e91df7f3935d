/**
 * Reads `DATABASE_URL`, a connection string as libpq of PostgreSQL 18 defines it (libpq-connect, Parameter Key Words). Any
 * unknown parameter is an error, because a misspelt request for TLS must not be ignored.
 */
import type { ConnectionOptions, SecureVersion } from 'node:tls';
import { readPem, setting } from '@waypost/settings';
import { parse } from 'pg-connection-string';

export interface Host {
  /** A host name, an IP address, or the directory of a unix socket. */
  readonly host: string;
  readonly port: number;
}

export interface DatabaseAddress extends Host {
  /** Present if there are several. The primary among them is used, and `host` is only the first. */
  readonly hosts?: readonly Host[];
  readonly user: string;
  readonly password?: string;
  readonly database: string;
  /** This is always set, because the driver would otherwise use PGSSLMODE. */
  readonly ssl: false | DatabaseTls;
  /** Command-line options of the server, as `-c name=value`. */
  readonly options?: string;
  readonly applicationName?: string;
  /** If true, a password by SCRAM is bound to the TLS connection where the server offers that. */
  readonly channelBinding?: boolean;
  readonly sslnegotiation?: 'postgres' | 'direct';
  /** The names of parameters of libpq that change nothing here. */
  readonly withoutEffect: readonly string[];
}

/** If `rejectUnauthorized` is false, the connection is encrypted but the server's certificate is not verified. */
export type DatabaseTls = Pick<
  ConnectionOptions,
  'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'checkServerIdentity' | 'minVersion' | 'maxVersion'
>;

const words = (text: string) => text.split(/\s+/);
const TEXT_PARAMETERS = words('host port user password dbname options application_name');
const FILE_PARAMETERS = words('sslrootcert sslcert sslkey');
const TLS_VERSIONS = words('TLSv1 TLSv1.1 TLSv1.2 TLSv1.3');
/** Parameters that may have only these values here. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  sslmode: words('disable require verify-ca verify-full'),
  sslnegotiation: words('postgres direct'),
  ssl_min_protocol_version: TLS_VERSIONS,
  ssl_max_protocol_version: TLS_VERSIONS,
  channel_binding: words('disable prefer require'),
  gssencmode: words('disable prefer'),
};
/** Waypost has its own time limits and always wants the primary; the driver has its own keep-alive and speaks UTF-8. */
const WITHOUT_EFFECT = words(
  `connect_timeout keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout
   target_session_attrs load_balance_hosts fallback_application_name client_encoding gssencmode gssdelegation gsslib
   krbsrvname sslcompression sslsni sslcertmode max_protocol_version`,
);
/** To ignore one of these would change who is asked, who asks, or how safely. */
const NOT_SUPPORTED = words(
  `hostaddr passfile service servicefile require_auth replication requirepeer sslpassword sslcrl sslcrldir
   sslkeylogfile scram_client_key scram_server_key min_protocol_version oauth_issuer oauth_client_id
   oauth_client_secret oauth_scope`,
);
const KNOWN = [...TEXT_PARAMETERS, ...FILE_PARAMETERS, ...Object.keys(VALUES), ...WITHOUT_EFFECT];

export const POSTGRES = {
  /** The value stays a URL because it is sent to threads. Each new pool reads the certificate files named in it. */
  DATABASE_URL: setting.address('Address of PostgreSQL, like `postgres://user:password@host:5432/waypost`.', (url) => {
    databaseAddress(url);
    return url;
  }),
};

/** Throws an error whose message continues the name of the setting. It contains no value except that of `sslmode`. */
export function databaseAddress(url: string): DatabaseAddress {
  if (!/^postgres(ql)?:\/\//i.test(url)) throw new Error('must begin with postgres:// or postgresql://');
  if (url.includes('#')) throw new Error('must not contain #. Write it as %23');
  const parameters = parametersOf(url);
  const mode = parameters.get('sslmode') ?? 'disable';
  if (mode === 'disable' && parameters.get('channel_binding') === 'require')
    throw new Error('has channel_binding=require, which needs an sslmode with TLS');
  const files = filesOf(parameters, mode);

  const addresses = oneHostEach(withoutTls(url, parameters)).map(parsed);
  const { user, password, ...path } = addresses[0]!;
  if (!user) throw new Error('must contain a user');
  const hosts = addresses.map(hostOf);
  if (hosts.length > 1 && !/^(read-write|primary)$/.test(parameters.get('target_session_attrs') ?? ''))
    throw new Error('has several hosts, which need target_session_attrs=read-write');
  if (hosts.some(({ host }) => host.startsWith('/')) && mode !== 'disable')
    throw new Error(`has sslmode=${mode}, but a unix socket cannot use TLS`);
  const options = parameters.get('options');
  const applicationName = parameters.get('application_name');
  const sslnegotiation = parameters.get('sslnegotiation') as DatabaseAddress['sslnegotiation'];
  return {
    ...hosts[0]!,
    ...(hosts.length > 1 ? { hosts } : {}),
    user,
    ...(password ? { password } : {}),
    database: parameters.get('dbname') ?? (path.database || 'waypost'),
    ssl: tlsOf(mode, files, parameters),
    ...(options === undefined ? {} : { options }),
    ...(applicationName === undefined ? {} : { applicationName }),
    ...(/prefer|require/.test(parameters.get('channel_binding') ?? '') ? { channelBinding: true } : {}),
    ...(sslnegotiation === undefined ? {} : { sslnegotiation }),
    withoutEffect: WITHOUT_EFFECT.filter(
      (name) => parameters.has(name) && !(hosts.length > 1 && name === 'target_session_attrs'),
    ),
  };
}

/** `postgres://user@a:1,b:2/path` becomes one URL for `a:1` and one for `b:2`. */
function oneHostEach(url: string): string[] {
  const [, before, hosts, after] = /^([^:]*:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/s.exec(url)!;
  return hosts!.split(',').map((host) => `${before}${host}${after}`);
}

function hostOf({ host, port }: ReturnType<typeof parse>): Host {
  if (!host) throw new Error('must contain a host');
  if (host.includes(',')) throw new Error('must list several hosts as host:port,host:port before the path');
  const number = port ? Number(port) : 5432;
  if (!(Number.isInteger(number) && number >= 1 && number <= 65_535))
    throw new Error('must have a port from 1 to 65535');
  return { host, port: number };
}

function parametersOf(url: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '')) {
    if (NOT_SUPPORTED.includes(name)) throw new Error(`has the libpq parameter ${name}, which is not supported`);
    if (!KNOWN.includes(name)) throw new Error(`has the unknown parameter ${name.slice(0, 50)}`);
    if (parameters.has(name)) throw new Error(`has the parameter ${name} twice`);
    if (value === '') throw new Error(`has the parameter ${name} without a value`);
    if (name === 'sslmode' && ['allow', 'prefer'].includes(value))
      throw new Error(`has sslmode=${value}, which does not enforce TLS. Use ${VALUES.sslmode!.join(', ')}`);
    const values = VALUES[name];
    if (values?.includes(value) === false)
      throw new Error(`has an unsupported value of ${name}. Use ${values.join(', ')}`);
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
    if (mode === 'disable') throw new Error(`has ${name}, which needs an sslmode with TLS`);
    if (name === 'sslrootcert' && file === 'system') continue; // libpq uses this name for the public authorities
    try {
      files[name] = readPem(file);
    } catch (error) {
      throw new Error(`has the parameter ${name}, which ${(error as Error).message}`);
    }
  }
  if ((files.sslcert === undefined) !== (files.sslkey === undefined))
    throw new Error('must have both sslcert and sslkey, or neither');
  if (mode === 'verify-ca' && files.sslrootcert === undefined)
    throw new Error(
      'has sslmode=verify-ca, which needs sslrootcert. Otherwise any public authority could vouch for any server',
    );
  return files;
}

/** Each mode means what it means in libpq. */
function tlsOf(
  mode: string,
  { sslrootcert: ca, sslcert: cert, sslkey: key }: TlsFiles,
  parameters: ReadonlyMap<string, string>,
): false | DatabaseTls {
  if (mode === 'disable') return false;
  const nameIsChecked = mode === 'verify-full';
  const verified = nameIsChecked || mode === 'verify-ca' || ca !== undefined;
  const minVersion = parameters.get('ssl_min_protocol_version') as SecureVersion | undefined;
  const maxVersion = parameters.get('ssl_max_protocol_version') as SecureVersion | undefined;
  return {
    ...(minVersion === undefined ? {} : { minVersion }),
    ...(maxVersion === undefined ? {} : { maxVersion }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(verified ? {} : { rejectUnauthorized: false }),
    ...(verified && !nameIsChecked ? { checkServerIdentity: () => undefined } : {}),
  };
}

/** Keeps what names the server and the user: the driver would read the files again and warn about some modes. */
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
    throw new Error(
      'is not a valid URL. Check its port, and percent-encode special characters of the password, such as %40 for @',
    );
  }
}
