import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';

export interface ClickHouseServer {
  /** `http://host:8123` */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /** For a whole request; a statement of ours is ended by the engine long before. */
  readonly requestTimeoutMs?: number;
}

/** A client of a ClickHouse server. Connects on first use; its errors reach the caller, hence our log, and no other. */
export function connectClickHouse({
  url,
  username,
  password,
  requestTimeoutMs = 20_000,
}: ClickHouseServer): ClickHouseClient {
  return createClient({
    url,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    request_timeout: requestTimeoutMs,
    log: { level: ClickHouseLogLevel.OFF },
  });
}

/** The parts of a `http://user:password@host:port/database` address. */
export function clickHouseAddress(address: string): ClickHouseServer & { readonly database: string } {
  const { origin, username, password, pathname } = new URL(address);
  return {
    url: origin,
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    database: decodeURIComponent(pathname.slice(1)) || 'waypost',
  };
}
