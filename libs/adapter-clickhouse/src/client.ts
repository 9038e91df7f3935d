import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type Check, setting } from '@waypost/settings';

export interface ClickHouseServer {
  /** `http://host:8123` */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /**
   * The certificates, in PEM, of the authorities that may sign the server's certificate. The default is Node's list.
   */
  readonly ca?: string | undefined;
  /** The time limit of a whole request. ClickHouse stops our statements much earlier. */
  readonly requestTimeoutMs?: number;
}

/** Returns a client that connects on first use. It logs nothing, because the caller gets and logs every error. */
export function connectClickHouse({
  url,
  username,
  password,
  ca,
  requestTimeoutMs = 20_000,
}: ClickHouseServer): ClickHouseClient {
  return createClient({
    url,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(ca !== undefined && { tls: { ca_cert: Buffer.from(ca) } }),
    request_timeout: requestTimeoutMs,
    log: { level: ClickHouseLogLevel.OFF },
  });
}

/** Reads `http://user:password@host:8123/database`, or `https://` for TLS. Throws if anything in it is unknown. */
export function clickHouseAddress(address: string): ClickHouseServer & { readonly database: string } {
  const read = URL.canParse(address) ? new URL(address) : undefined;
  if (read === undefined || !['http:', 'https:'].includes(read.protocol))
    throw new Error('must be like http://user:password@host:8123/waypost, or https:// for TLS');
  if (read.search !== '' || read.hash !== '') throw new Error('has what follows ? or #, which is not known');
  const { origin, username, password, pathname } = read;
  const database = decoded(pathname.slice(1)) || 'waypost';
  if (!/^[A-Za-z_]\w{0,62}$/.test(database)) throw new Error('has a path that is not the name of a database');
  return {
    url: origin,
    ...(username !== '' && { username: decoded(username) }),
    ...(password !== '' && { password: decoded(password) }),
    database,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a % that is not written %25');
  }
}

export const CLICKHOUSE = {
  CLICKHOUSE_URL: setting.address(
    'ClickHouse, like `http://user:password@host:8123/waypost`, or `https://` for TLS',
    clickHouseAddress,
  ),
  CLICKHOUSE_CA_FILE: setting.pemFile('authority of ClickHouse').optional('the authorities that Node knows'),
};

export const checkClickHouse: Check<typeof CLICKHOUSE> = ({ clickhouseUrl: address = 'https:', ...read }, fault) => {
  const url = typeof address === 'string' ? address : address.url;
  if (read.clickhouseCaFile !== undefined && !/^https:/i.test(url))
    fault('CLICKHOUSE_CA_FILE', 'is for TLS: CLICKHOUSE_URL must begin with https://');
};
