import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ClickHouseClient, createClient, parseError } from '@clickhouse/client';
import { type ChdbResult, drainPending, Session } from 'chdb';

/**
 * ClickHouse in this process (chDB), behind the same client that speaks to a server.
 *
 * What was seen, with chDB 3.4.0 (engine 26.7), on two cores:
 * - Idle it uses 0.2 % of a core, 265 MB of memory and 30 threads (the engine's code is most of the memory); after a load of
 *   a million clicks 1 to 1.5 % and some 700 MB, the benchmark's own included. Under small inserts memory levels off at 480.
 * - One data folder per process and one process per folder. A second process is refused; the lock goes with the process,
 *   so after `kill -9` the next start opens it again at once, with every insert that had been answered.
 * - One session runs one statement at a time, so statements take turns on a few of them: see `READERS`.
 * - A running statement holds a thread of libuv's pool. The caller sets UV_THREADPOOL_SIZE (16 is enough) in the
 *   environment before the process starts, else files and DNS wait behind slow queries.
 */
export interface EmbeddedClickHouse {
  /** Statements may overlap: reads use up to `READERS` sessions, all others take turns on one. */
  readonly client: ClickHouseClient;
  /** Lets running statements end (they cannot be interrupted), refuses new ones, and releases the folder. */
  stop(): Promise<void>;
}

/** Analytics queries that run at once; more wait their turn. */
const READERS = 3;
/** Beyond this a statement is refused: it would wait longer than anybody wants its answer. */
const MAX_WAITING = 100;

/** The engine's defaults are a server's: caches of gigabytes, metrics each second. */
const ENGINE_ARGUMENTS = [
  `--mark_cache_size=${64 << 20}`,
  `--primary_index_cache_size=${64 << 20}`,
  `--index_mark_cache_size=${8 << 20}`,
  `--query_condition_cache_size=${8 << 20}`,
  '--asynchronous_metrics_update_period_s=60',
];

/** Opens the data folder, made if missing. Rejects when another process holds it, or this one holds another folder. */
export async function startEmbeddedClickHouse(path: string): Promise<EmbeddedClickHouse> {
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true });
  const keeper = openKeeper(folder);
  const openSession = () => new Session(folder);
  const readers = lane(openSession, READERS);
  const writers = lane(openSession, 1);
  const client = createClient({ connection: connectionOver(readers, writers) });
  async function release(): Promise<void> {
    await Promise.all([readers.close(), writers.close()]);
    keeper.close();
    await drainPending();
  }
  let released: Promise<void> | undefined;
  return {
    client,
    stop() {
      released ??= release();
      return released;
    },
  };
}

/** The engine lives as long as this session, and takes its arguments from the first one. */
function openKeeper(folder: string): Session {
  try {
    return new Session(folder, { connectionArgs: ENGINE_ARGUMENTS });
  } catch (cause) {
    const holder = lockHolder(folder);
    const problem =
      holder === undefined || holder === process.pid
        ? `cannot be opened: ${cause instanceof Error ? cause.message : String(cause)}`
        : `is in use by process ${holder}; one process at a time can open it`;
    throw new Error(`the click store in ${folder} ${problem}`, { cause });
  }
}

/** ClickHouse's lock file names the process that holds it. It stays behind after a crash, so the process is looked up. */
function lockHolder(folder: string): number | undefined {
  try {
    const pid = Number(/^PID: (\d+)/m.exec(readFileSync(join(folder, 'status'), 'utf8'))?.[1]);
    return isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's
  }
}

/** Sessions that take turns: at most `size` statements run, the others wait in order. */
interface Lane {
  /**
   * `retire`: the statement may leave something behind in its session, which is then not lent again. Rejects when `signal`
   * says that nobody waits: a statement that has not begun is not run, one that runs keeps its turn until it ends.
   */
  run<T>(statement: (session: Session) => Promise<T>, retire: boolean, signal?: AbortSignal): Promise<T>;
  /** Resolves when what runs has ended; what waits is rejected. */
  close(): Promise<void>;
}

function lane(open: () => Session, size: number): Lane {
  const idle: Session[] = [];
  const waiting: { readonly take: () => void; readonly giveUp: (error: Error) => void }[] = [];
  let free = size;
  let closed = false;
  let allFree: (() => void) | undefined;

  async function turn(signal: AbortSignal | undefined): Promise<void> {
    if (closed) throw stopped();
    signal?.throwIfAborted();
    if (free > 0) {
      free--;
      return;
    }
    if (waiting.length >= MAX_WAITING) throw new Error('too many statements wait for the embedded ClickHouse');
    await new Promise<void>((take, giveUp) => {
      const waiter = { take, giveUp };
      waiting.push(waiter);
      signal?.addEventListener(
        'abort',
        () => {
          const at = waiting.indexOf(waiter);
          if (at !== -1) waiting.splice(at, 1);
          giveUp(signal.reason);
        },
        { once: true },
      );
    });
  }

  function release(): void {
    const next = waiting.shift();
    if (next !== undefined) {
      next.take(); // the slot is handed on
      return;
    }
    free++;
    if (free === size) allFree?.();
  }

  async function runInTurn<T>(statement: (session: Session) => Promise<T>, retire: boolean): Promise<T> {
    try {
      const session = idle.pop() ?? open();
      try {
        return await statement(session);
      } finally {
        if (retire || closed) session.close();
        else idle.push(session);
      }
    } finally {
      release();
    }
  }

  return {
    async run(statement, retire, signal) {
      await turn(signal);
      const running = runInTurn(statement, retire);
      if (signal === undefined) return running;
      return new Promise((resolve, reject) => {
        const leave = () => reject(signal.reason);
        signal.addEventListener('abort', leave, { once: true });
        running.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
      });
    },
    async close() {
      closed = true;
      for (const { giveUp } of waiting.splice(0)) giveUp(stopped());
      if (free < size) {
        await new Promise<void>((resolve) => {
          allFree = resolve;
        });
      }
      for (const session of idle.splice(0)) session.close();
    },
  };
}

const stopped = () => new Error('the embedded ClickHouse is stopped');

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;
type Statement = Parameters<ClientConnection['query']>[0];

/**
 * What `createClient` takes in place of HTTP. chDB brings one of its own (`chdb/connection`); this one differs where that
 * one hurts: settings do not stay for the next statement, and statements with bound parameters run side by side (there
 * they queue up through the whole process).
 */
function connectionOver(readers: Lane, writers: Lane): ClientConnection {
  async function run(through: Lane, params: Statement, sql: string): Promise<ChdbResult> {
    const { prelude, format, hasSettings } = preludeOf(params);
    const options = { format: format ?? 'TabSeparated' };
    const statement = (session: Session) => session.queryAsync(`${prelude}${sql}`, options);
    try {
      return await through.run(statement, hasSettings, params.abort_signal);
    } catch (error) {
      throw asClickHouseError(error);
    }
  }

  async function write(params: Statement, values: string | Readable | undefined): Promise<ChdbResult | undefined> {
    if (values === undefined) return run(writers, params, params.query);
    const body = typeof values === 'string' ? values : (await buffer(values)).toString();
    // As over HTTP: nothing to insert is no error.
    return body === '' ? undefined : run(writers, params, `${params.query}\n${body}`);
  }

  return {
    async query(params) {
      const result = await run(readers, params, params.query);
      return { ...answer(params, result), stream: readable(result.bytes()) };
    },
    command: async (params) => answer(params, await write(params, undefined)),
    insert: async (params) => answer(params, await write(params, params.values)),
    async exec(params) {
      const result = await write(params, params.values);
      return { ...answer(params, result), stream: readable(result?.bytes() ?? new Uint8Array()) };
    },
    async ping({ abort_signal }) {
      try {
        await readers.run((session) => session.queryAsync('SELECT 1'), false, abort_signal);
        return { success: true };
      } catch (error) {
        return { success: false, error: asClickHouseError(error) };
      }
    },
    // The folder is released by `stop`, which waits for what still runs.
    close: async () => {},
  };
}

/** Settings that only mean something over HTTP; the client sends some of them with every call. */
const HTTP_ONLY = /^(?:wait_end_of_query$|enable_http_compression$|http_|send_progress_in_http_headers$)/;

function preludeOf({ clickhouse_settings = {}, query_params = {} }: Statement) {
  let prelude = '';
  let format: string | undefined;
  let hasSettings = false;
  for (const [name, value] of Object.entries(clickhouse_settings)) {
    if (value === undefined || HTTP_ONLY.test(name)) continue;
    if (name === 'default_format') {
      format = String(value);
      continue;
    }
    prelude += `SET ${settingName(name)} = ${literal(typeof value === 'boolean' ? Number(value) : String(value))}; `;
    hasSettings = true;
  }
  // A parameter also stays with the session, but a statement always brings its own.
  for (const [name, value] of Object.entries(query_params)) {
    prelude += `SET param_${settingName(name)} = ${literal(parameterText(name, value))}; `;
  }
  return { prelude, format, hasSettings };
}

function settingName(name: string): string {
  if (!/^[A-Za-z_]\w*$/.test(name)) throw new Error(`not a setting: ${JSON.stringify(name)}`);
  return name;
}

const literal = (value: string | number) =>
  typeof value === 'number' ? String(value) : `'${value.replace(/[\\']/g, '\\$&')}'`;

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
  '\b': '\\b',
  '\f': '\\f',
};

/** The engine reads a parameter as it reads a TabSeparated field. */
function parameterText(name: string, value: unknown): string {
  if (typeof value === 'string') return value.replace(/[\\\t\n\r\0\b\f]/g, (character) => ESCAPES[character]!);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  throw new Error(`parameter ${name}: the embedded ClickHouse binds text, numbers and booleans`);
}

function answer({ query_id }: Statement, result: ChdbResult | undefined) {
  const rows = String(result?.rowsRead ?? 0);
  const bytes = String(result?.bytesRead ?? 0);
  const elapsed_ns = String(Math.round((result?.elapsed ?? 0) * 1e9));
  return {
    query_id: query_id ?? randomUUID(),
    response_headers: {},
    http_status_code: 200,
    summary: {
      read_rows: rows,
      read_bytes: bytes,
      written_rows: rows,
      written_bytes: bytes,
      result_rows: rows,
      result_bytes: bytes,
      total_rows_to_read: '0',
      elapsed_ns,
    },
  };
}

function readable(bytes: Uint8Array): Readable {
  const stream = Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)], { objectMode: false });
  // The client destroys an unread result with an error, which nobody else may be listening for.
  stream.on('error', () => {});
  return stream;
}

function asClickHouseError(error: unknown): Error {
  const mapped = parseError(error instanceof Error ? error.message : String(error));
  mapped.cause ??= error;
  return mapped;
}
