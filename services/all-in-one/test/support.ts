import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect } from '@jest/globals';
import { listening, pause } from '@waypost/test-support';
import { BROWSER } from './user-agent.ts';
import type { Answer, apiClient, Json, TestWaypost } from './waypost-process.ts';

export { BROWSER };

export const DESTINATION = 'https://www.wikipedia.org/wiki/Waypoint';
export const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const GENERATED_SLUG = /^[1-9A-HJ-NP-Za-km-z]{7}$/;

const CODES: Readonly<Record<number, string>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'service_unavailable',
};

export const freshSlug = (prefix = 't') => `${prefix}-${randomBytes(6).toString('hex')}`;
/** A new name of syllables that the lexical model finds ordinary, so that only a list or rule under test finds it. */
export const freshHost = (prefix = 'h') => {
  const syllables = Array.from(randomBytes(10), (byte) => 'lmnrst'[byte % 6]! + 'ao'[byte >> 7]!);
  return `${prefix}${syllables.join('')}.example.net`;
};

/** Expects the error object of docs/contract.md, Errors, with the code of its status. */
export function expectError(answer: Answer, status: number, detailKeys?: readonly string[]): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status,
    body: { error: CODES[status], status, message: expect.stringMatching(/\S/) },
  });
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts:\d|\bat \w+ \(/);
  if (status >= 500) expect(answer.body.error_id).toMatch(UUID);
  else expect(answer.body).not.toHaveProperty('error_id');
  if (status === 429 || status === 503) expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  if (detailKeys !== undefined) {
    expect(Object.keys(answer.body.details ?? {}).sort()).toEqual([...detailKeys].sort());
    for (const words of Object.values(answer.body.details)) expect(words).toMatch(/\S/);
  }
}

type Client = ReturnType<typeof apiClient>;

export interface Visit {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** Sends one request with the path unchanged, and does not follow redirects. */
export function visit(
  base: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    agent,
    body,
  }: { method?: string; headers?: Record<string, string>; agent?: http.Agent; body?: string } = {},
): Promise<Visit> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const answered = (response: http.IncomingMessage) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((body) => resolve({ status, headers, text: body }), reject);
    };
    http
      .request({ hostname, port, path, method, agent, headers: { 'User-Agent': BROWSER, ...headers } }, answered)
      .once('error', reject)
      .end(body);
  });
}

/** Resolves to a figure of /metrics on this internal port, or to undefined if it is missing. */
export async function metricOf(internal: string, series: string): Promise<number | undefined> {
  const { text: metrics } = await visit(internal, '/metrics');
  const line = metrics.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

/** Opens a connection to this server, and ignores its errors. */
export function connectTo(base: string): net.Socket {
  const { hostname, port } = new URL(base);
  return net.connect(Number(port), hostname).on('error', () => {});
}

/**
 * Resolves to everything that the server answers until it closes the connection or `patienceMs` have passed, as latin1.
 */
export function sendRaw(base: string, bytes: string | Uint8Array, patienceMs = 4_000): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(bytes));
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(text);
    };
    const timer = setTimeout(done, patienceMs);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.once('end', done);
    socket.once('close', done);
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? done() : reject(error),
    );
  });
}

export const statusesIn = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => Number(code));

export function importFeed(
  waypost: TestWaypost,
  text: string,
  feed: { name?: string; format?: string; threatType?: string } = {},
): Promise<{ name: string; entries: number; rejected: number; generation: string }> {
  const { name = freshSlug('feed'), format = 'urls', threatType = 'malware' } = feed;
  const content = Buffer.from(text).toString('base64');
  return waypost.admin('import-feed', { name, format, 'threat-type': threatType, content });
}

/** Lists a new host as a threat and resolves to a URL on it. */
export async function listedUrl(waypost: TestWaypost, threatType = 'malware'): Promise<string> {
  const url = `https://${freshHost('listed')}/payload`;
  await importFeed(waypost, `${url}\n`, { threatType });
  return url;
}

/** Creates a link and resolves to it. By default its destination is `DESTINATION`. */
export async function newLink(api: Client, fields: Json = {}): Promise<Json> {
  const { status, body } = await api('POST', '/api/v1/links', { destination_url: DESTINATION, ...fields });
  expect(status).toBe(201);
  return body.link;
}

export const newSlug = async (api: Client, fields: Json = {}): Promise<string> => (await newLink(api, fields)).slug;

export async function newSlugs(api: Client, count: number, fieldsOf: (i: number) => Json = () => ({})) {
  const links = times(count, (i) => ({ destination_url: DESTINATION, ...fieldsOf(i) }));
  const { status, body } = await api('POST', '/api/v1/links/bulk', { links });
  expect(status).toBe(201);
  return body.links.map(({ link }: Json) => link.slug) as string[];
}

export const figuresOf = async (api: Client, slug: string, query = ''): Promise<Json> =>
  (await api('GET', `/api/v1/links/${slug}/analytics${query}`)).body;
export const clicksOf = async (api: Client, slug: string): Promise<number> => (await figuresOf(api, slug)).total_clicks;

/** Polls until `accepts` returns true for the value, or until `withinMs` have passed. Resolves to the last value. */
export async function eventually<T>(
  read: () => Promise<T>,
  accepts: (value: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await read();
    if (accepts(value) || Date.now() > deadline) return value;
    await pause(100);
  }
}

/**
 * Polls until the value of `read` matches `expected`, and resolves to it. An object may have more fields. Throws if it
 * never matches.
 */
export async function comesTo<T>(read: () => T | Promise<T>, expected: unknown, withinMs?: number): Promise<T> {
  const expectWanted = (value: T) => expect({ value }).toMatchObject({ value: expected });
  const fits = (value: T) => {
    try {
      expectWanted(value);
      return true;
    } catch {
      return false;
    }
  };
  const last = await eventually(async () => read(), fits, withinMs);
  expectWanted(last);
  return last;
}

export interface Timed<T> {
  readonly value: T;
  readonly ms: number;
}

export async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const start = performance.now();
  const value = await work();
  return { value, ms: performance.now() - start };
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

export const queriesOf = (parameters: readonly (readonly [name: string, values: readonly string[]])[]) =>
  parameters.flatMap(([name, values]) => values.map((value) => [`${name}=${value}`, name] as const));

export function tally(answers: readonly { readonly status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Lets this server listen on loopback until the tests of the file are over. Resolves to its address. */
export async function onLoopback(server: http.Server): Promise<string> {
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${await listening(server)}`;
}

/** Returns a function that sends signals to the PostgreSQL of a data folder, and to its processes. */
export function signalDatabase(dataDir: string, folder = 'postgres'): (signal: NodeJS.Signals) => void {
  const pid = fs.readFileSync(path.join(dataDir, folder, 'postmaster.pid'), 'utf8').split('\n')[0]!;
  const all = execFileSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8' }).trim().split('\n');
  const children = all
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([child, parent]) => (parent === pid ? child! : []));
  return (signal) => {
    for (const each of [pid, ...children]) process.kill(Number(each), signal);
  };
}

/** Expects the link of docs/contract.md, Resources and their fields, and allows further fields. */
export const anyLink = (fields: Json = {}) =>
  expect.objectContaining({
    slug: expect.any(String),
    destination_url: expect.any(String),
    status: 'active',
    threat_type: null,
    revoked_at: null,
    tags: [],
    title: null,
    note: null,
    ends_at: null,
    created_at: expect.stringMatching(ISO_TIME),
    updated_at: expect.stringMatching(ISO_TIME),
    ...fields,
  });
