import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type ClickHouseClient, createClient, parseError } from '@clickhouse/client';
import type { ChdbResult, Session } from 'chdb';

/**
 * ClickHouse in this process (chDB), behind the same client that talks to a server.
 *
 * Measured with chDB 3.4.0 (engine 26.7) on two cores:
 *   - Idle it uses 0.2 % of a core, 265 MB of memory (mostly engine code) and 30 threads; after a load of a million clicks
 *     1 to 1.5 % and some 700 MB, including the benchmark. Under small inserts memory levels off at 480 MB.
 *   - One data folder per process and one process per folder. A second process is refused; the lock ends with its process,
 *     so after `kill -9` the next start opens the folder at once, with every acknowledged insert.
 *   - Sessions may run at once; a few of them leave processors for others: see `READERS`.
 *   - A running statement occupies a thread of libuv's pool. The caller sets UV_THREADPOOL_SIZE (16 is enough) in the
 *     environment before the process starts, otherwise files and DNS wait behind slow queries.
 */
export interface EmbeddedClickHouse {
  /** Up to `READERS` reads run at once, and one other statement. */
  readonly client: ClickHouseClient;
  /** Lets running statements end (they cannot be interrupted), refuses new ones, and releases the folder. */
  stop(): Promise<void>;
}

/** Concurrent analytics queries; further ones wait. */
const READERS = 3;
/** Beyond this a statement is refused: its caller would time out first. */
const MAX_WAITING = 100;

/** The defaults of the engine are for a server: caches of gigabytes, metrics every second. */
const ENGINE_ARGUMENTS = [
  `--mark_cache_size=${64 << 20}`,
  `--primary_index_cache_size=${64 << 20}`,
  `--index_mark_cache_size=${8 << 20}`,
  `--query_condition_cache_size=${8 << 20}`,
  '--asynchronous_metrics_update_period_s=60',
];

/**
 * Opens the data folder and creates it if missing. Rejects when another process has it open, or this process has
 * another one open.
 */
export async function startEmbeddedClickHouse(path: string): Promise<EmbeddedClickHouse> {
  const folder = resolve(path);
  mkdirSync(folder, { recursive: true });
  // Only when it is used: a thread that has loaded chDB closes the sessions of all threads when it ends.
  const { drainPending, Session } = await import('chdb');
  const keeper = openKeeper(() => new Session(folder, { connectionArgs: ENGINE_ARGUMENTS }), folder);
  const openSession = () => new Session(folder);
  const readers = sessionPool(openSession, READERS);
  const writers = sessionPool(openSession, 1);
  const client = createClient({ connection: connectionOver(readers, writers) });
  return {
    client,
    async stop() {
      await Promise.all([readers.close(), writers.close()]);
      keeper.close();
      await drainPending();
    },
  };
}

/** The engine lives as long as this session, and takes its arguments from the first one. */
function openKeeper(open: () => Session, folder: string): Session {
  try {
    return open();
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the click store in ${folder} cannot be opened: ${problem}`, { cause });
  }
}

/**
 * At most `size` statements run, each in a session of its own (0.4 ms), so that no setting stays for the next one; the
 * others wait in order.
 */
interface SessionPool {
  /** Rejects when `signal` aborts: a waiting statement does not run, a running one keeps its slot until it ends. */
  run<T>(statement: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Resolves once the running statements have ended; rejects the waiting ones. */
  close(): Promise<void>;
}

function sessionPool(open: () => Session, size: number): SessionPool {
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
      next.take(); // hands the slot on
      return;
    }
    free++;
    if (free === size) allFree?.();
  }

  async function runInTurn<T>(statement: (session: Session) => Promise<T>): Promise<T> {
    try {
      const session = open();
      try {
        return await statement(session);
      } finally {
        session.close();
      }
    } finally {
      release();
    }
  }

  return {
    async run(statement, signal) {
      try {
        await turn(signal);
        const running = runInTurn(statement);
        if (signal === undefined) return await running;
        return await new Promise((resolve, reject) => {
          const leave = () => reject(signal.reason);
          signal.addEventListener('abort', leave, { once: true });
          running.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
        });
      } catch (error) {
        throw asClickHouseError(error);
      }
    },
    async close() {
      closed = true;
      for (const { giveUp } of waiting.splice(0)) giveUp(stopped());
      if (free < size) {
        await new Promise<void>((resolve) => {
          allFree = resolve;
        });
      }
    },
  };
}

const stopped = () => new Error('the embedded ClickHouse is stopped');

type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>;
type Statement = Parameters<ClientConnection['query']>[0];

/**
 * What `createClient` takes instead of HTTP. chDB has its own (`chdb/connection`); this one differs in two points:
 * settings do not stay for the next statement, and statements with bound parameters run concurrently (there they queue
 * up in the whole process).
 */
function connectionOver(readers: SessionPool, writers: SessionPool): ClientConnection {
  async function run(through: SessionPool, params: Statement, sql: string): Promise<ChdbResult> {
    const { prelude, format } = preludeOf(params);
    const statement = async (session: Session) => {
      // Apart: the engine copies the whole text, with the rows of an insert, for each statement in it.
      if (prelude !== '') await session.queryAsync(prelude);
      return session.queryAsync(sql, { format: format ?? 'TabSeparated' });
    };
    return through.run(statement, params.abort_signal);
  }

  async function write(params: Statement, values?: string | Readable): Promise<ChdbResult | undefined> {
    if (values === undefined) return run(writers, params, params.query);
    const rows = typeof values === 'string' ? values : await text(values);
    // As over HTTP: an insert without rows is not an error.
    return rows === '' ? undefined : run(writers, params, `${params.query}\n${rows}`);
  }

  return {
    async query(params) {
      const result = await run(readers, params, params.query);
      return { ...answer(params), stream: readable(result.bytes()) };
    },
    async command(params) {
      await write(params);
      return answer(params);
    },
    async insert(params) {
      await write(params, params.values);
      return answer(params);
    },
    async exec(params) {
      const result = await write(params, params.values);
      return { ...answer(params), stream: readable(result?.bytes() ?? new Uint8Array()) };
    },
    async ping({ abort_signal }) {
      try {
        await readers.run((session) => session.queryAsync('SELECT 1'), abort_signal);
        return { success: true };
      } catch (error) {
        return { success: false, error: error as Error };
      }
    },
    // `stop` releases the folder; it waits for running statements.
    close: async () => {},
  };
}

/** Settings that only have a meaning over HTTP; the client sends some of them with every call. */
const HTTP_ONLY = /^(?:wait_end_of_query$|enable_http_compression$|http_|send_progress_in_http_headers$)/;

function preludeOf({ clickhouse_settings = {}, query_params = {} }: Statement) {
  let prelude = '';
  let format: string | undefined;
  for (const [name, value] of Object.entries(clickhouse_settings)) {
    if (value === undefined || HTTP_ONLY.test(name)) continue;
    if (name === 'default_format') {
      format = String(value);
      continue;
    }
    prelude += `SET ${settingName(name)} = ${literal(typeof value === 'boolean' ? Number(value) : String(value))}; `;
  }
  for (const [name, value] of Object.entries(query_params)) {
    prelude += `SET param_${settingName(name)} = ${literal(parameterText(name, value))}; `;
  }
  return { prelude, format };
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

/** The engine parses a parameter like a TabSeparated field. */
function parameterText(name: string, value: unknown): string {
  if (typeof value === 'string') return value.replace(/[\\\t\n\r\0\b\f]/g, (character) => ESCAPES[character]!);
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  throw new Error(`parameter ${name}: the embedded ClickHouse binds text, numbers and booleans`);
}

const answer = ({ query_id }: Statement) => ({
  query_id: query_id ?? randomUUID(),
  response_headers: {},
  http_status_code: 200,
});

function readable(bytes: Uint8Array): Readable {
  const stream = Readable.from([Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)], { objectMode: false });
  // The client destroys an unread result with an error, for which there may be no other listener.
  stream.on('error', () => {});
  return stream;
}

function asClickHouseError(error: unknown): Error {
  const mapped = parseError(error instanceof Error ? error.message : String(error));
  mapped.cause ??= error;
  return mapped;
}
