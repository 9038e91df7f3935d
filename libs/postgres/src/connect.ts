import type pg from 'pg';
import type { DatabaseAddress } from './address.ts';
import { Connection, PooledConnection } from './connection.ts';
import { Database, sqlState } from './database.ts';
import { Primary } from './primary.ts';
import type { ServiceSchema } from './schema.ts';

/** An API client must get an answer within 5 s even if the server is frozen, so every statement has this limit. */
const STATEMENT_TIMEOUT_MS = 2_000;

export interface DatabaseOptions
  extends Partial<
    Pick<DatabaseAddress, 'port' | 'hosts' | 'password' | 'ssl' | 'options' | 'channelBinding' | 'sslnegotiation'>
  > {
  /** A host name, or the directory of a unix socket. */
  readonly host: string;
  readonly user: string;
  readonly database: string;
  readonly applicationName?: string;
  readonly poolSize: number;
  /** Creates or updates these schemas first. Without it, no schema is changed. */
  readonly migrate?: readonly ServiceSchema[] | undefined;
  /** Opening rejects if a migration of this schema is missing. */
  readonly expect?: ServiceSchema | undefined;
  /** If true, a pooler may give each transaction another session. The caller then keeps nothing in a session. */
  readonly mayBePooled?: boolean;
  /** Called when a connection breaks that no statement uses. */
  readonly onIdleError?: (error: Error) => void;
}

export const LIMITS = {
  query_timeout: STATEMENT_TIMEOUT_MS,
  // The server must stop first, so that a statement that timed out here does not succeed there.
  statement_timeout: STATEMENT_TIMEOUT_MS - 250,
  idle_in_transaction_session_timeout: 10_000,
};

export function poolConfig(options: DatabaseOptions, limits: Partial<typeof LIMITS>, Client = Connection) {
  return {
    ssl: false,
    ...options,
    ...(options.hosts === undefined ? {} : { primary: new Primary(options.hosts) }),
    application_name: options.applicationName ?? 'waypost',
    max: options.poolSize,
    Client: Client as unknown as NonNullable<pg.PoolConfig['Client']>, // its type does not know the configuration
    connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
    ...limits,
    keepAlive: true,
    enableChannelBinding: options.channelBinding ?? false,
  };
}

/** Connects to PostgreSQL itself. Rejects at a pooler, which does not pass on what belongs to a session. */
export function openSession(options: DatabaseOptions): Promise<Database> {
  return checked(new Database(poolConfig(options, LIMITS), options.onIdleError), async (db) => {
    const name = 'idle_in_transaction_session_timeout';
    const limitMs = await sessionSetting(db, name).catch((error: unknown) => {
      throw isPoolersRefusal(error) ? new BehindPooler(error) : error;
    });
    if (limitMs !== LIMITS[name]) throw new BehindPooler();
  });
}

class BehindPooler extends Error {
  constructor(cause?: unknown) {
    super(
      'DATABASE_URL points to a connection pooler such as PgBouncer, which only redirectors can use. This process ' +
        'needs its own session for locks and notifications. Set DATABASE_URL to the address of PostgreSQL itself',
      { cause },
    );
  }
}

/** Connects to PostgreSQL, or to a pooler if the role has a time limit, since a pooler does not pass ours on. */
export async function openPooled(options: DatabaseOptions): Promise<Database> {
  try {
    return await openSession(options);
  } catch (error) {
    if (!(error instanceof BehindPooler)) throw error;
  }
  const config = poolConfig(options, { query_timeout: STATEMENT_TIMEOUT_MS }, PooledConnection);
  return checked(new Database(config, options.onIdleError), async (db) => {
    const limitMs = await sessionSetting(db, 'statement_timeout');
    if (limitMs > 0 && limitMs < STATEMENT_TIMEOUT_MS) return;
    throw new Error(
      `behind a connection pooler, the role ${options.user} needs its own time limit. Run ` +
        `ALTER ROLE ${options.user} SET statement_timeout = '${LIMITS.statement_timeout}ms', then reconnect the pooler`,
    );
  });
}

/** Closes the connections again if `check` rejects. */
export async function checked(db: Database, check: (db: Database) => Promise<void>): Promise<Database> {
  try {
    await check(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** PgBouncer refuses a startup parameter that it does not know, or ignores it if it is told to. */
function isPoolersRefusal(error: unknown): boolean {
  return sqlState(error) === '08P01' && /startup parameter/.test((error as Error).message);
}

async function sessionSetting(db: Database, name: keyof typeof LIMITS): Promise<number> {
  const [row] = await db.query<{ ms: number }>('SELECT setting::int AS ms FROM pg_settings WHERE name = $1', [name]);
  return row?.ms ?? 0;
}

type Server = Omit<DatabaseOptions, 'database' | 'poolSize'>;

/** Connects to the primary, or with a single host to whatever it is. */
export async function asAdministrator<T>(
  server: Server,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new Connection({
    ssl: false,
    ...server,
    ...(server.hosts === undefined ? {} : { primary: new Primary(server.hosts) }),
    database,
    connectionTimeoutMillis: 10_000,
    // A statement may take any time, so only keep-alive notices that the server is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function createDatabase(server: Server, name: string): Promise<void> {
  await asAdministrator(server, 'postgres', async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  });
}
