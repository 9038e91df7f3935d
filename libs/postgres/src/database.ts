import { unavailable } from '@waypost/domain';
import { inClientSpan } from '@waypost/telemetry';
import pg from 'pg';

/** Runs statements and resolves to their rows, in one transaction or each in its own. */
export interface Queries {
  query<T>(sql: string, parameters?: unknown[]): Promise<T[]>;
}

export class Transaction implements Queries {
  readonly #client: pg.PoolClient;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async query<T>(sql: string, parameters?: unknown[]): Promise<T[]> {
    return (await this.#client.query(sql, parameters)).rows;
  }
}

/** A pool of connections. Its methods reject with PostgreSQL's own errors, which `translated` translates. */
export class Database implements Queries {
  readonly pool: pg.Pool;

  constructor(config: pg.PoolConfig, onIdleError: (error: Error) => void = () => undefined) {
    this.pool = new pg.Pool(config).on('error', onIdleError);
  }

  query<T>(sql: string, parameters?: unknown[]): Promise<T[]> {
    return this.#onConnection(async (client) => (await client.query(sql, parameters)).rows);
  }

  prepared<T>(name: string, text: string, values: unknown[]): Promise<T[]> {
    return this.#onConnection(async (client) => (await client.query({ name, text, values })).rows);
  }

  /** Commits if `work` resolves, and else undoes what it did. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#onConnection(async (client) => {
      await client.query('BEGIN');
      try {
        const result = await work(new Transaction(client));
        const { command } = await client.query('COMMIT');
        // After a failed statement whose error `work` caught, COMMIT succeeds and rolls back.
        if (command !== 'COMMIT') throw new Error('The transaction was rolled back, because a statement had failed.');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined); // the connection is then closed
        throw error;
      }
    });
  }

  close(): Promise<void> {
    return this.pool.end();
  }

  /** A connection that did not answer is closed. */
  async #onConnection<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = translated(error) !== error;
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** Runs one statement and resolves to its rows. Rejects with `unavailable` if the database does not answer. */
export function rows<T>(db: Queries, sql: string, parameters: unknown[]): Promise<T[]> {
  return translating(inStatement(sql, () => db.query<T>(sql, parameters)));
}

/** Runs one statement whose rows nobody needs. */
export async function execute(db: Queries, sql: string, parameters: unknown[]): Promise<void> {
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
  db: Database,
  { table, key, condition }: Readonly<Record<'table' | 'key' | 'condition', string>>,
  parameters: unknown[],
): Promise<void> {
  const some = `SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${PIECE}`;
  return inPieces(db, `DELETE FROM ${table} WHERE ${key} IN (${some}) RETURNING 1`, parameters);
}

/** Repeats a statement that touches and returns at most PIECE rows, until it returns fewer. */
export async function inPieces(db: Database, sql: string, parameters: unknown[]): Promise<void> {
  while ((await rows(db, sql, parameters)).length === PIECE);
}

/** The span includes the wait for a connection. The text has placeholders, so the span contains no values. */
function inStatement<T>(text: string, work: () => Promise<T>): Promise<T> {
  const [operation = 'statement'] = /\w+/.exec(text) ?? [];
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.query.text': text };
  return inClientSpan(operation, attributes, work);
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
  // Only the driver's errors without a code are known by their text: others may quote what somebody chose, "timeout".
  const away =
    state === undefined
      ? /timeout|terminated|not queryable|Connection (ended|closed)/i.test(message)
      : /^(08|57P0|53|57014|25006|25P03|ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND)/.test(state);
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

export function inTransaction<T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return translating(db.transaction(work));
}

export async function pingDatabase(db: Database): Promise<void> {
  await rows(db, 'SELECT 1', []);
}

/** Resolves to the time of the database's clock, in Unix milliseconds. */
export async function databaseClock(db: Database): Promise<number> {
  const [row] = await rows<{ at: Date }>(db, 'SELECT clock_timestamp() AS at', []);
  return row!.at.getTime();
}

export type PoolClient = pg.PoolClient;

export function connection(db: Database): Promise<PoolClient> {
  return db.pool.connect();
}

/** PostgreSQL plans the statement once per connection, so use it for statements of every request. */
export function prepared<T>(db: Database, name: string, text: string, values: unknown[]): Promise<T[]> {
  return translating(inStatement(text, () => db.prepared(name, text, values)));
}

export function called<T>(db: Database, name: string, args: Readonly<Record<string, unknown>>): Promise<T[]> {
  return prepared<T>(db, name, `SELECT * FROM ${calling(name, args)}`, Object.values(args));
}

/** Returns the text of a function call with named arguments. Their values are `$1`, `$2` and so on. */
export function calling(name: string, args: Readonly<Record<string, unknown>>): string {
  const named = Object.keys(args).map((arg, i) => `${arg} => $${i + 1}`);
  return `${name}(${named.join(', ')})`;
}
