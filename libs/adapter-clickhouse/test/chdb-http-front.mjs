/**
 * A TEST TOOL, because production runs a ClickHouse server. It is a small HTTP front for chDB, so that several
 * processes can share one engine. It supports what our `@clickhouse/client` uses: bound parameters, settings, whole
 * results and typed errors. It has no sessions, streams, compression, KILL QUERY or Keeper. A statement continues when
 * its client disconnects, so send `max_execution_time`.
 *
 * FRONT_USERS, `{ name: { password, may: 'all' | 'insert' | 'read' | 'purge' } }`, lists the only users that it
 * accepts. It refuses any request from a page in a browser. The first word of a statement decides its kind.
 *
 * FRONT_CONFIG is a configuration file of ClickHouse, to declare clusters.
 *
 * UV_THREADPOOL_SIZE=16 node chdb-http-front.mjs <data folder> [port, 0 for any] [host]
 *
 * Prints `listening on http://<host>:<port>` once it is ready. After SIGTERM or SIGINT it finishes the running
 * statements and exits.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { drainPending, Session } from 'chdb';

const [dataFolder, port = '18123', host = '127.0.0.1'] = process.argv.slice(2);
if (dataFolder === undefined) {
  console.error('usage: chdb-http-front.mjs <data folder> [port] [host]');
  process.exit(2);
}

const STOP_GRACE_MS = 6_000;

/**
 * This session keeps the engine open. Each request has its own session (0.4 ms), so its SET, USE and parameters end
 * with it.
 */
const config = process.env.FRONT_CONFIG;
const keeper = new Session(dataFolder, config === undefined ? {} : { connectionArgs: [`--config-file=${config}`] });
const version = (await keeper.queryAsync('SELECT version()', { format: 'TSV' })).text().trim();

/** Any other URL parameter is a setting, or a bound parameter if it has this prefix. */
const PROTOCOL_PARAMETERS = new Set(
  `buffer_size cancel_http_readonly_queries_on_client_close compress database decompress default_format
   enable_http_compression http_headers_progress_interval_ms http_write_exception_in_output_format
   http_zlib_compression_level password query query_id quota_key role send_exception_tag
   send_progress_in_http_headers user wait_end_of_query`.split(/\s+/),
);
const COMMENTS = String.raw`(?:\s|--[^\n]*\n|/\*[\s\S]*?\*/)*`;
const READS = new RegExp(String.raw`^${COMMENTS}\(*\s*(?:SELECT|WITH|SHOW|DESCRIBE|DESC|EXISTS|EXPLAIN)\b`, 'i');
const INSERTS = new RegExp(String.raw`^${COMMENTS}INSERT\b`, 'i');
const DELETES = new RegExp(String.raw`^${COMMENTS}ALTER\s+TABLE\s+\S+\s+DELETE\b`, 'i');
const FORMAT_CLAUSE = /\bFORMAT\s+(\w+)\s*(?:SETTINGS[\s\S]*)?;?\s*$/i;
/** Errors that are not listed get the status 500. */
const STATUS_OF_ERROR = new Map([
  ...[26, 27, 41, 53, 62, 117].map((code) => [code, 400]),
  [194, 401],
  ...[497, 516].map((code) => [code, 403]),
  ...[46, 47, 60, 81, 115].map((code) => [code, 404]),
  [241, 413],
  [48, 501],
]);

const literal = (text) => `'${String(text).replace(/[\\']/g, '\\$&')}'`;
const failure = (code, message, type) => new Error(`Code: ${code}. DB::Exception: ${message}. (${type})`);
const codeOf = (message) => Number(/Code: (\d+)/.exec(message)?.[1] ?? 1002);
const signed = (message) => {
  const typed = /\([A-Z0-9_]+\)\s*$/.test(message) ? message.trim() : `${message.trim()} (UNKNOWN_EXCEPTION)`;
  return `${typed} (version ${version} (test front on chDB))\n`;
};

async function readRequest(request) {
  const url = new URL(request.url, 'http://front');
  const parameters = url.searchParams;
  const body = await buffer(request);
  // The statement is in the `query` parameter, with its data in the body. Without that parameter, the body has both.
  const inUrl = parameters.get('query');
  return {
    path: url.pathname,
    parameters,
    sql: inUrl ?? body.toString('utf8'),
    data: inUrl === null ? undefined : body,
  };
}

async function applyParameters(session, parameters) {
  const statements = [];
  const database = parameters.get('database');
  if (database) statements.push(`USE \`${database.replaceAll('`', '')}\``);
  for (const [name, value] of parameters) {
    if (!/^\w+$/.test(name)) throw failure(115, `bad parameter name ${name}`, 'UNKNOWN_SETTING');
    if (PROTOCOL_PARAMETERS.has(name)) continue;
    statements.push(`SET ${name} = ${literal(value)}`);
  }
  if (statements.length > 0) await session.queryAsync(statements.join('; '));
}

async function runStatement({ parameters, sql, data }, response) {
  const session = new Session(dataFolder);
  try {
    await applyParameters(session, parameters);
    const statement = data?.length ? `${sql}\n${data.toString('utf8')}` : sql;
    const format = FORMAT_CLAUSE.exec(sql)?.[1] ?? parameters.get('default_format') ?? 'TabSeparated';
    const result = await session.queryAsync(statement, { format });
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=UTF-8' }).end(Buffer.from(result.bytes()));
  } finally {
    session.close();
  }
}

const users = process.env.FRONT_USERS === undefined ? undefined : JSON.parse(process.env.FRONT_USERS);
delete process.env.FRONT_USERS;
const digest = (text) => createHash('sha256').update(text).digest();

/** The client sends one of two pairs of headers. Over TLS it uses the second pair. */
function credentials({ authorization = '', 'x-clickhouse-user': user, 'x-clickhouse-key': key = '' }) {
  if (user !== undefined) return [user, key];
  const [name, ...rest] = Buffer.from(authorization.replace(/^Basic /i, ''), 'base64')
    .toString()
    .split(':');
  return [name, rest.join(':')];
}

function authorize({ headers }, sql) {
  if (users === undefined) return;
  const [name, password] = credentials(headers);
  const user = Object.hasOwn(users, name) ? users[name] : undefined;
  // No page in a browser may send requests, even if its host name resolves to this address.
  const here = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(headers.host ?? '') && headers.origin === undefined;
  if (!here || user === undefined || !timingSafeEqual(digest(user.password), digest(password)))
    throw failure(516, 'Authentication failed', 'AUTHENTICATION_FAILED');
  if (user.may === 'all' || READS.test(sql) || (user.may === 'insert' && INSERTS.test(sql))) return;
  if (user.may === 'purge' && DELETES.test(sql)) return;
  throw failure(497, `${name}: Not enough privileges`, 'ACCESS_DENIED');
}

const server = http.createServer({ keepAliveTimeout: 10_000, requestTimeout: 0 }, async (request, response) => {
  try {
    const parsed = await readRequest(request);
    if (parsed.path === '/ping') response.end('Ok.\n');
    else {
      authorize(request, parsed.sql);
      await runStatement(parsed, response);
    }
  } catch (error) {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const message = signed(error?.message ?? String(error));
    const code = codeOf(message);
    response.writeHead(STATUS_OF_ERROR.get(code) ?? 500, {
      'Content-Type': 'text/plain; charset=UTF-8',
      'X-ClickHouse-Exception-Code': code,
    });
    response.end(message);
  }
});

let stopping = false;
async function stop() {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(1), STOP_GRACE_MS).unref();
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS / 2).unref();
  await closed;
  keeper.close();
  await drainPending();
  process.exit(0);
}
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

server.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
server.listen(Number(port), host, () => {
  console.log(`listening on http://${host}:${server.address().port}`);
});
