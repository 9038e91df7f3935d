import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '@waypost/domain';
import { inClientSpan } from '@waypost/telemetry';
import pg from 'pg';
import { DataSource, type EntityManager, MigrationExecutor, type MigrationInterface } from 'typeorm';
import type { DatabaseAddress } from './address.ts';
import { grant } from './grants.ts';
import { Initial1700000000001 } from './migrations/0001-initial.ts';

/** A frozen server must not block an API client for longer than 5 s, so no statement may take longer than this. */
const STATEMENT_TIMEOUT_MS = 2_000;

export interface DatabaseOptions extends Partial<Pick<DatabaseAddress, 'port' | 'password' | 'ssl' | 'options'>> {
  /** A host name, or the directory of a unix socket. */
  readonly host: string;
  readonly user: string;
  readonly database: string;
  readonly applicationName?: string;
  readonly poolSize: number;
  /** False for a process that does not own the schema: it expects the schema to exist, or fails. */
  readonly migrate?: boolean;
  /** Called with the error of a connection that broke while idle. */
  readonly onIdleError?: (error: Error) => void;
  /** For tests. */
  readonly migrations?: readonly Migration[];
}

type Migration = new () => MigrationInterface;

const MIGRATIONS: readonly Migration[] = [Initial1700000000001];

export const MIGRATION_NAMES: readonly string[] = MIGRATIONS.map(nameOf);

function nameOf(migration: Migration): string {
  return new migration().name ?? '';
}

/**
 * A connection of the pool. It ends with a statement that timed out here: pg forgets that, and the ROLLBACK after it, but
 * the server may run both or one when it comes back, and whoever got the connection next would go on in that transaction.
 */
class Connection extends pg.Client {
  constructor(config: pg.ClientConfig) {
    super(config);
    // The pool listens only to idle connections. When one breaks in use, its statement fails, too; but an 'error' event
    // without a listener ends the process.
    this.on('error', () => undefined);
  }

  override query(...args: never[]): never {
    const answer: unknown = (super.query as (...all: never[]) => unknown).apply(this, args);
    if (answer instanceof Promise)
      answer.catch((error: unknown) => {
        if (error instanceof Error && error.message === READ_TIMEOUT) this.#end();
      });
    return answer as never;
  }

  #end(): void {
    (this as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream.destroy();
  }
}

/** What pg says when its `query_timeout` is over. */
const READ_TIMEOUT = 'Query read timeout';

const LIMITS = {
  query_timeout: STATEMENT_TIMEOUT_MS,
  // the server gives up first if it can, so that a statement that timed out here does not complete there
  statement_timeout: STATEMENT_TIMEOUT_MS - 250,
  idle_in_transaction_session_timeout: 10_000,
};

function dataSource(options: DatabaseOptions, limits: Partial<typeof LIMITS>): DataSource {
  return new DataSource({
    type: 'postgres',
    host: options.host,
    ...(options.port === undefined ? {} : { port: options.port }),
    username: options.user,
    ...(options.password === undefined ? {} : { password: options.password }),
    database: options.database,
    ssl: options.ssl ?? false,
    applicationName: options.applicationName ?? 'waypost',
    migrations: [...(options.migrations ?? MIGRATIONS)],
    synchronize: false,
    logging: false,
    installExtensions: false,
    poolSize: options.poolSize,
    poolErrorHandler: options.onIdleError ?? (() => undefined),
    extra: {
      Client: Connection,
      connectionTimeoutMillis: STATEMENT_TIMEOUT_MS,
      ...limits,
      keepAlive: true,
      ...(options.options === undefined ? {} : { options: options.options }),
    },
  });
}

/**
 * Connects. First migrates the schema (one process at a time, the others wait) or, with `migrate: false`, rejects while
 * a migration of this version is missing.
 */
export async function openDatabase(options: DatabaseOptions): Promise<DataSource> {
  if (options.migrate !== false) await migrate(options);
  const db = await dataSource(options, LIMITS).initialize();
  try {
    if (options.migrate === false) await expectSchema(db);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

const MIGRATION_LOCK = 0x7761_7970; // "wayp"
const MIGRATION_POLL_MS = 100;

/**
 * On a separate connection: the limits for requests do not suit an index on a full table, or a wait for another
 * migration. `only`, the names of some migrations, creates the schema of an earlier version, with nobody's rights.
 */
export async function migrate(options: DatabaseOptions, only?: readonly string[]): Promise<void> {
  const { migrations = MIGRATIONS } = options;
  const wanted = migrations.filter((migration) => only?.includes(nameOf(migration)) ?? true);
  const db = await dataSource({ ...options, migrations: wanted, poolSize: 1 }, {}).initialize();
  try {
    const runner = db.createQueryRunner();
    // The lock belongs to the session, not to a transaction, since each migration commits separately. It ends with the
    // connection at the latest. Asked for again and again: an index that is built concurrently waits for every statement
    // that runs, so also for one that waits for this lock.
    for (;;) {
      const [lock] = await runner.query('SELECT pg_try_advisory_lock($1) AS mine', [MIGRATION_LOCK]);
      if (lock.mine) break;
      await pause(MIGRATION_POLL_MS);
    }
    const executor = new MigrationExecutor(db, runner);
    executor.transaction = 'each';
    await executor.executePendingMigrations();
    if (only === undefined) await grant(runner);
    await runner.release();
  } finally {
    await db.destroy();
  }
}

async function expectSchema(db: DataSource): Promise<void> {
  const names = db.migrations.map(({ name }) => name);
  const found = await db
    .query<{ name: string }[]>('SELECT name FROM migrations WHERE name = ANY($1)', [names])
    .catch((error: unknown) => {
      if (sqlState(error) === '42P01' || sqlState(error) === '42501') return []; // no table, or no right to it yet
      throw error;
    });
  if (found.length < names.length)
    throw new Error('the schema is not there, or not of this version, yet: `waypost admin prepare` makes it');
}

/** Rows of one statement, without the wrapper that TypeORM puts around INSERT and UPDATE. */
export async function rows<T>(db: Pick<DataSource, 'query'>, sql: string, parameters: unknown[]): Promise<T[]> {
  try {
    const result: unknown = await inStatement(sql, () => db.query(sql, parameters));
    return (isWrapped(result) ? result[0] : result) as T[];
  } catch (error) {
    throw translated(error);
  }
}

/** The values of one statement, and the place of each in its text. */
export function binding() {
  const values: unknown[] = [];
  return { values, bind: (value: unknown) => `$${values.push(value)}` };
}

/** Rows that one statement of `inPieces` touches, so that each ends within its time limit. */
export const PIECE = 5_000;

/** Repeats a statement that touches and returns at most PIECE rows, until it finds fewer. */
export async function inPieces(db: DataSource, sql: string, parameters: unknown[]): Promise<void> {
  while ((await rows(db, sql, parameters)).length === PIECE);
}

/** The span of a statement, the wait for a connection included. Its values are not in its text. */
function inStatement<T>(text: string, work: () => Promise<T>): Promise<T> {
  const [operation = 'statement'] = /\w+/.exec(text) ?? [];
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text };
  return inClientSpan(operation, attributes, work);
}

/** TypeORM returns `[rows, count]` for UPDATE and DELETE. */
function isWrapped(result: unknown): result is [unknown[], number] {
  return Array.isArray(result) && result.length === 2 && Array.isArray(result[0]) && typeof result[1] === 'number';
}

/** PostgreSQL's SQLSTATE, for those that have a meaning in the domain. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** A database that is away, starting, stopping or too slow is `unavailable`; any other error passes unchanged. */
export function translated(error: unknown): unknown {
  const state = sqlState(error);
  const message = error instanceof Error ? error.message : '';
  const away =
    (state !== undefined &&
      /^(08|57P0|53|57014|25P03|ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND)/.test(state)) ||
    /timeout|terminated|not queryable|Connection (ended|closed)/i.test(message);
  return away ? unavailable('The database cannot be reached right now.', error) : error;
}

/** PostgreSQL refuses any other text where it expects a uuid, and a NUL everywhere. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** For work that is no statement of `rows`. */
export async function translating<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw translated(error);
  }
}

/** In one transaction. */
export function inTransaction<T>(db: DataSource, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return translating(db.transaction(work));
}

export async function pingDatabase(db: DataSource): Promise<void> {
  await rows(db, 'SELECT 1', []);
}

export type PoolClient = pg.PoolClient;

/** The pool under TypeORM. */
export function poolOf(db: DataSource): pg.Pool {
  return (db.driver as unknown as { master: pg.Pool }).master;
}

/** A connection of the pool under TypeORM, for what TypeORM cannot express. */
export function connection(db: DataSource): Promise<PoolClient> {
  return poolOf(db).connect();
}

/**
 * A statement that is planned once per connection, for the few that every request runs. A connection that did not
 * answer is closed, not reused.
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

/** Runs a function of the schema as a prepared statement, with named arguments. */
export function called<T>(db: DataSource, name: string, args: Readonly<Record<string, unknown>>): Promise<T[]> {
  const named = Object.keys(args).map((arg, i) => `${arg} => $${i + 1}`);
  return prepared<T>(db, name, `SELECT * FROM ${name}(${named.join(', ')})`, Object.values(args));
}

type Administration = Pick<DatabaseOptions, 'host' | 'port' | 'user' | 'password' | 'ssl'>;

/** One connection, for a one-time task elsewhere. */
export async function asAdministrator<T>(
  server: Administration,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ssl: false,
    ...server,
    database,
    connectionTimeoutMillis: 10_000,
    // A statement may take any time, so only this tells of a server that is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // A connection that breaks fails its statement, too; but an 'error' event without a listener ends the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Creates the database if it is missing, through the server's `postgres` database. */
export async function createDatabase(server: Administration, name: string): Promise<void> {
  await asAdministrator(server, 'postgres', async (client) => {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  });
}
