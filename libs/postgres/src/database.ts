import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@waypost/domain';
import { inClientSpan } from '@waypost/telemetry';
import type pg from 'pg';
import { DataSource, type EntityManager, MigrationExecutor } from 'typeorm';
import type { DatabaseAddress } from './address.ts';
import { Connection, PooledConnection } from './connection.ts';
import { Primary } from './primary.ts';
import { grant, type Migration, migrationNames, migrationsOf, type ServiceSchema } from './schema.ts';

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

const LIMITS = {
  query_timeout: STATEMENT_TIMEOUT_MS,
  // The server must stop first, so that a statement that timed out here does not succeed there.
  statement_timeout: STATEMENT_TIMEOUT_MS - 250,
  idle_in_transaction_session_timeout: 10_000,
};

type Limits = Partial<typeof LIMITS>;

function dataSource(
  options: DatabaseOptions,
  limits: Limits,
  Client: typeof pg.Client = Connection,
  migrations: Migration[] = [],
): DataSource {
  return new DataSource({
    type: 'postgres',
    host: options.host,
    ...(options.port === undefined ? {} : { port: options.port }),
    username: options.user,
    ...(options.password === undefined ? {} : { password: options.password }),
    database: options.database,
    ssl: options.ssl ?? false,
    applicationName: options.applicationName ?? 'waypost',
    migrations,
    synchronize: false,
    logging: false,
    installExtensions: false,
    poolSize: options.poolSize,
    poolErrorHandler: options.onIdleError ?? (() => undefined),
    extra: {
      Client,
      ...(options.hosts === undefined ? {} : { primary: new Primary(options.hosts) }),
      connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
      ...limits,
      keepAlive: true,
      enableChannelBinding: options.channelBinding ?? false,
      ...(options.sslnegotiation === undefined ? {} : { sslnegotiation: options.sslnegotiation }),
      ...(options.options === undefined ? {} : { options: options.options }),
    },
  });
}

/** Migrates the schema if asked to, and connects. If several processes migrate, one does it and the others wait. */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  if (options.migrate !== undefined) await migrate(options, options.migrate);
  const db = await (options.mayBePooled ? openPooled(options) : openSession(options, LIMITS));
  try {
    if (options.expect !== undefined) await expectSchema(db, migrationNames([options.expect]));
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Connects to PostgreSQL itself. Rejects at a pooler, which does not pass on what belongs to a session. */
async function openSession(options: DatabaseOptions, limits: Limits, migrations?: Migration[]): Promise<DataSource> {
  const db = await dataSource(options, limits, Connection, migrations)
    .initialize()
    .catch((error: unknown) => {
      throw isPoolersRefusal(error) ? new Error(NOT_POOLED, { cause: error }) : error;
    });
  if (await hasOwnSession(db)) return db;
  await db.destroy();
  throw new Error(NOT_POOLED);
}

const NOT_POOLED =
  'DATABASE_URL points to a connection pooler such as PgBouncer, which only redirectors can use. This process needs ' +
  'its own session for locks and notifications. Set DATABASE_URL to the address of PostgreSQL itself';

/** Connects to PostgreSQL, or to a pooler if the role has a time limit, since a pooler does not pass ours on. */
async function openPooled(options: DatabaseOptions): Promise<DataSource> {
  const direct = dataSource(options, LIMITS);
  try {
    await direct.initialize();
    if (await hasOwnSession(direct)) return direct;
    await direct.destroy();
  } catch (error) {
    if (!isPoolersRefusal(error)) throw error;
  }
  const { query_timeout } = LIMITS;
  const db = await dataSource(options, { query_timeout }, PooledConnection).initialize();
  const limitMs = await sessionSetting(db, 'statement_timeout');
  if (limitMs > 0 && limitMs < STATEMENT_TIMEOUT_MS) return db;
  await db.destroy();
  throw new Error(
    `behind a connection pooler, the role ${options.user} needs its own time limit. Run ` +
      `ALTER ROLE ${options.user} SET statement_timeout = '${LIMITS.statement_timeout}ms', then reconnect the pooler`,
  );
}

/** PgBouncer refuses a startup parameter that it does not know, or ignores it if it is told to. */
function isPoolersRefusal(error: unknown): boolean {
  return sqlState(error) === '08P01' && /startup parameter/.test((error as Error).message);
}

async function hasOwnSession(db: DataSource): Promise<boolean> {
  const name = 'idle_in_transaction_session_timeout';
  return (await sessionSetting(db, name)) === LIMITS[name];
}

async function sessionSetting(db: DataSource, name: keyof typeof LIMITS): Promise<number> {
  const [row] = await rows<{ ms: number }>(db, 'SELECT setting::int AS ms FROM pg_settings WHERE name = $1', [name]);
  return row?.ms ?? 0;
}

const MIGRATION_LOCK = 0x7761_7970; // "wayp"
const MIGRATION_POLL_MS = 100;

/**
 * Has its own connection without limits of statements, because an index on a full table takes long. `only` names some
 * migrations: it creates the schema of an earlier version, without grants.
 */
export async function migrate(
  options: DatabaseOptions,
  schemas: readonly ServiceSchema[],
  only?: readonly string[],
): Promise<void> {
  const { idle_in_transaction_session_timeout } = LIMITS;
  const limits = { idle_in_transaction_session_timeout };
  const db = await openSession({ ...options, poolSize: 1 }, limits, migrationsOf(schemas, only));
  try {
    const runner = db.createQueryRunner();
    // Each migration commits separately, so the lock belongs to the session. We poll for it, because an index built
    // concurrently waits for every running statement, even one that waits for this lock.
    for (;;) {
      const [lock] = await runner.query('SELECT pg_try_advisory_lock($1) AS mine', [MIGRATION_LOCK]);
      if (lock.mine) break;
      await pause(MIGRATION_POLL_MS);
    }
    const executor = new MigrationExecutor(db, runner);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
    if (only === undefined) await grant(runner, schemas);
    await runner.release();
  } finally {
    await db.destroy();
  }
}

async function expectSchema(db: DataSource, names: readonly string[]): Promise<void> {
  const tables = await db
    .query<{ name: string }[]>('SELECT name FROM migrations WHERE name = ANY($1)', [names])
    .catch((error: unknown) => {
      if (sqlState(error) === '42P01' || sqlState(error) === '42501') return []; // no table, or no right to read it
      throw error;
    });
  if (tables.length < names.length)
    throw new Error('the schema is missing or of another version. Run `waypost admin prepare`');
}

/** Runs one statement and returns its rows. TypeORM would return INSERT and UPDATE in another form. */
export async function rows<T>(db: Pick<DataSource, 'query'>, sql: string, parameters: unknown[]): Promise<T[]> {
  try {
    const result: unknown = await inStatement(sql, () => db.query(sql, parameters));
    return (isWrapped(result) ? result[0] : result) as T[];
  } catch (error) {
    throw translated(error);
  }
}

/** Runs one statement whose rows nobody needs. */
export async function execute(db: Pick<DataSource, 'query'>, sql: string, parameters: unknown[]): Promise<void> {
  await rows(db, sql, parameters);
}

export function binding() {
  const values: unknown[] = [];
  return { values, bind: (value: unknown) => `$${values.push(value)}` };
}

/** A statement of `inPieces` must touch at most this many rows, so that it ends within its time limit. */
export const PIECE = 5_000;

/** Deletes the rows for which `condition` is true. `key` is a unique column. */
export function deleteInPieces(
  db: DataSource,
  { table, key, condition }: Readonly<Record<'table' | 'key' | 'condition', string>>,
  parameters: unknown[],
): Promise<void> {
  const some = `SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${PIECE}`;
  return inPieces(db, `DELETE FROM ${table} WHERE ${key} IN (${some}) RETURNING 1`, parameters);
}

/** Repeats a statement that touches and returns at most PIECE rows, until it returns fewer. */
export async function inPieces(db: DataSource, sql: string, parameters: unknown[]): Promise<void> {
  while ((await rows(db, sql, parameters)).length === PIECE);
}

/** The span includes the wait for a connection. The text has placeholders, so the span contains no values. */
function inStatement<T>(text: string, work: () => Promise<T>): Promise<T> {
  const [operation = 'statement'] = /\w+/.exec(text) ?? [];
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text };
  return inClientSpan(operation, attributes, work);
}

/** TypeORM returns `[rows, count]` for UPDATE and DELETE. */
function isWrapped(result: unknown): result is [unknown[], number] {
  return Array.isArray(result) && result.length === 2 && Array.isArray(result[0]) && typeof result[1] === 'number';
}

/** The state of a row that exists already. */
export const UNIQUE_VIOLATION = '23505';

export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/**
 * Returns `unavailable` if the database is down, starting, stopping, too slow or a standby. Returns any other error
 * unchanged.
 */
export function translated(error: unknown): unknown {
  const state = sqlState(error);
  const message = error instanceof Error ? error.message : '';
  const away =
    (state !== undefined &&
      /^(08|57P0|53|57014|25006|25P03|ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND)/.test(state)) ||
    /timeout|terminated|not queryable|Connection (ended|closed)/i.test(message);
  return away ? unavailable('The database is unavailable. Try again later.', error) : error;
}

/** PostgreSQL fails if it expects a uuid and gets any other text, so check it before. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

export async function translating<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translated(error);
  }
}

export function inTransaction<T>(db: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return translating(db.transaction(work));
}

export async function pingDatabase(db: DataSource): Promise<void> {
  await rows(db, 'SELECT 1', []);
}

/** Resolves to the time of the database's clock, in Unix milliseconds. */
export async function databaseClock(db: DataSource): Promise<number> {
  const [row] = await rows<{ at: Date }>(db, 'SELECT clock_timestamp() AS at', []);
  return row!.at.getTime();
}

export type PoolClient = pg.PoolClient;

export function poolOf(db: DataSource): pg.Pool {
  return (db.driver as unknown as { master: pg.Pool }).master;
}

export function connection(db: DataSource): Promise<PoolClient> {
  return poolOf(db).connect();
}

/**
 * PostgreSQL plans the statement once per connection, so use it for statements of every request. A connection that did
 * not answer is closed.
 */
export async function prepared<T>(db: DataSource, name: string, text: string, values: unknown[]): Promise<T[]> {
  let client: PoolClient | undefined;
  let broken = false;
  try {
    return await inStatement(text, async () => {
      client = await connection(db);
      return (await client.query({ name, text, values })).rows;
    });
  } catch (error) {
    const rising = translated(error);
    broken = rising !== error;
    throw rising;
  } finally {
    client?.release(broken);
  }
}

export function called<T>(db: DataSource, name: string, args: Readonly<Record<string, unknown>>): Promise<T[]> {
  return prepared<T>(db, name, `SELECT * FROM ${calling(name, args)}`, Object.values(args));
}

/** Returns the text of a function call with named arguments. Their values are `$1`, `$2` and so on. */
export function calling(name: string, args: Readonly<Record<string, unknown>>): string {
  const named = Object.keys(args).map((arg, i) => `${arg} => $${i + 1}`);
  return `${name}(${named.join(', ')})`;
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
