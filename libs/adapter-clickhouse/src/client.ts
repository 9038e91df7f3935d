import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type Check, decodedLogin, setting } from '@waypost/settings';

export interface ClickHouseServer {
  /** `http://host:8123` */
  readonly url: string;
  /** Where a proxy has ClickHouse. */
  readonly pathname?: string;
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
export function connectClickHouse({ ca, requestTimeoutMs = 20_000, ...server }: ClickHouseServer): ClickHouseClient {
  return createClient({
    ...server,
    ...(ca !== undefined && { tls: { ca_cert: Buffer.from(ca) } }),
    request_timeout: requestTimeoutMs,
    log: { level: ClickHouseLogLevel.OFF },
  });
}

/**
 * Reads `http://user:password@host:8123/waypost`, or `https://` for TLS. A path might be that of a proxy or the name of
 * a database, so another one is refused: `?database=` and `?pathname=` say which. Throws if anything in it is unknown.
 */
export function clickHouseAddress(address: string): ClickHouseServer & { readonly database: string } {
  const parsedUrl = URL.canParse(address) ? new URL(address) : undefined;
  if (parsedUrl === undefined || !['http:', 'https:'].includes(parsedUrl.protocol))
    throw new Error('must be a URL like http://user:password@host:8123/waypost, or https:// for TLS');
  if (parsedUrl.hash !== '') throw new Error('must not contain a fragment (#)');
  const { origin, username, password, searchParams } = parsedUrl;
  for (const name of searchParams.keys())
    if (!['database', 'pathname'].includes(name) || searchParams.getAll(name).length > 1)
      throw new Error(`has an unknown or repeated parameter: ${name.slice(0, 50)}`);
  if (!['/', '/waypost'].includes(parsedUrl.pathname))
    throw new Error(
      'must not have a path. Give the path of a proxy as ?pathname=/proxy, and another database as ?database=name',
    );
  const database = searchParams.get('database') ?? 'waypost';
  if (!/^[A-Za-z_]\w{0,62}$/.test(database)) throw new Error('has an invalid database name');
  const pathname = searchParams.get('pathname');
  if (pathname !== null && !/^\/[^\s?#]+$/.test(pathname)) throw new Error('must have a pathname like /proxy');
  return {
    url: origin,
    ...(pathname !== null && { pathname }),
    ...(username !== '' && { username: decodedLogin(username) }),
    ...(password !== '' && { password: decodedLogin(password) }),
    database,
  };
}

export const CLICKHOUSE = {
  CLICKHOUSE_URL: setting.address(
    'Address of ClickHouse, like `http://user:password@host:8123/waypost`, or `https://` for TLS.',
    clickHouseAddress,
  ),
  CLICKHOUSE_CA_FILE: setting.pemFile('Certificate authority of ClickHouse.').optional('the authorities of Node.js'),
};

export const checkClickHouse: Check<typeof CLICKHOUSE> = ({ clickhouseUrl: address = 'https:', ...read }, fault) => {
  const url = typeof address === 'string' ? address : address.url;
  if (read.clickhouseCaFile !== undefined && !/^https:/i.test(url))
    fault('CLICKHOUSE_CA_FILE', 'requires TLS: CLICKHOUSE_URL must begin with https://');
};
