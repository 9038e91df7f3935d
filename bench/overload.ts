/**
 * Sends far more requests than the product can serve, one kind after the other. Needs `wrk`. The kinds are creations
 * and analytics by fifty accounts, lists by one account, redirects, and 5,000 open connections. Beside each kind run
 * steady visitors, and health checks on both public ports over a new connection every 100 ms. Another account lists and
 * creates, one request after the other.
 *
 *   npm run bench -- overload [--seconds 10] [--only EXPRESSION]
 *
 * The reference is the same without load, in the same run. Goals:
 * - the API answers only 2xx or 503 with `Retry-After`, and no connection breaks;
 * - health answers within 2 s;
 * - while the API is under load, visitors' p99 is at most 5 times its unloaded value, or 10 ms;
 * - a flood of one account does not stop the other account;
 * - everything is as before within 5 s after the load.
 */
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { apiClient } from '../services/all-in-one/test/waypost-process.ts';
import { type Flood, type Flooded, flood } from './lib/flood.ts';
import { atLeast, atMost, exactly, figure } from './lib/goals.ts';
import { optionsOf } from './lib/options.ts';
import { cpuMs, makeLinks, quantile, runOn, startProduct } from './lib/product.ts';
import { rawRequest } from './lib/raw-client.ts';
import type { Seen } from './lib/steady-visitors.ts';
import { startVisitors } from './lib/visitors.ts';

const options = optionsOf({ seconds: '10', only: '' });
const SECONDS = Number(options.seconds);
const only = new RegExp(options.only);
const ACCOUNTS = 50;
const CONNECTIONS = 2_000;
const OPEN = 5_000;
/** The number of connections that open, or close, together. */
const BATCH = 250;
/**
 * The pause between two batches. A bare node:http server stands still for 130 ms while 5,000 connections close at once.
 */
const CLOSING_MS = 20;
/** The goal is stricter than the probes of deploy/chart, which wait for 3 s. */
const HEALTH_MS = 2_000;
const RECOVERED_MS = 5_000;

const product = await startProduct();
await runOn(product, run);

async function run(): Promise<void> {
  const keys = await Promise.all(Array.from({ length: ACCOUNTS }, async () => (await product.newKey()).key));
  const linksOf = (key: string, count: number) => makeLinks(apiClient(product.api, key), count);
  const slugs = await linksOf(keys[0]!, 2_000);
  const each = await Promise.all(keys.map((key) => linksOf(key, 40)));
  // wrk takes the keys in turn, so each slug must belong to the key of its turn.
  const inTurn = each[0]!.flatMap((_, i) => each.map((mine) => mine[i]!));
  const visitors = startVisitors(product.redirect, 300, slugs.slice(0, 100));
  await pause(2_000);
  const creation = `post("/api/v1/links", '{"destination_url":"https://www.wikipedia.org/wiki/Main_Page"}')`;

  // Few connections warm the product up and measure its capacity, because it does not queue their requests.
  const few = { url: product.api, keys, request: creation, connections: 16, seconds: Math.min(5, SECONDS) };
  await flood(few);
  const calm = await flood(few);
  figure('creations that it can do, beside visitors', calm.perSecond, 'a second');
  const unloaded = await beside(() => pause(SECONDS * 1_000));
  figure('unloaded: visitors, p99', unloaded.visitors.p99, 'ms');
  figure('unloaded: health, longest', unloaded.health.longest, 'ms');
  figure('unloaded: another account, p99', unloaded.other.p99, 'ms');

  const loads: Readonly<Record<string, Load>> = {
    'creations by 50 accounts': { url: product.api, keys, request: creation },
    'lists by one account': {
      url: product.api,
      keys: [keys[0]!],
      request: 'get("/api/v1/links?limit=100&search=wiki&page=" .. n % 20 + 1)',
      spares: true,
    },
    'analytics by 50 accounts': {
      url: product.api,
      keys,
      slugs: inTurn,
      request: `get("/api/v1/links/" .. slugs[n % #slugs + 1] .. "/analytics?period=90d")`,
    },
    redirects: { url: product.redirect, slugs, request: `get("/" .. slugs[n % #slugs + 1])` },
  };
  for (const [name, load] of Object.entries(loads)) {
    if (!only.test(name)) continue;
    let seen: Flooded | undefined;
    const cpuBefore = cpuMs(product.pid);
    const { visitors, health, other } = await beside(async () => {
      seen = await flood({ ...load, connections: CONNECTIONS, seconds: SECONDS, counts: true });
    });
    const { statuses, answers, perSecond, broken, withoutRetryAfter } = seen!;
    const served = Object.entries(statuses).reduce((sum, [status, n]) => sum + (status < '400' ? n : 0), 0);
    const shed = statuses[503] ?? 0;
    figure(`${name}: requests`, perSecond, 'a second');
    figure(`${name}: served`, served / SECONDS, 'a second');
    if (name.startsWith('creations'))
      figure(`${name}: served, of what it can do`, served / SECONDS / calm.perSecond, '', atLeast(0.4));
    figure(`${name}: shed`, shed / SECONDS, 'a second');
    figure(`${name}: CPU of a request`, (cpuMs(product.pid) - cpuBefore) / answers, 'ms');
    figure(`${name}: answers of another kind`, answers - served - shed, '', exactly(0));
    figure(`${name}: 503 without Retry-After`, withoutRetryAfter, '', exactly(0));
    figure(`${name}: connections broken, requests without an answer`, broken, '', exactly(0));
    tell(name, { visitors, health, other }, load.url === product.api);
    if (load.spares) {
      figure(`${name}: another account, p99`, other.p99, 'ms', atMost(4_500));
      figure(`${name}: another account, refused`, other.refused, '', exactly(0));
    }
    await recovery(name);
  }
  for (const [name, url] of Object.entries({ API: product.api, redirector: product.redirect })) {
    const what = `${OPEN} open connections to the ${name}`;
    if (!only.test(what)) continue;
    const seen = await beside(() => holdConnections(url, what));
    tell(what, seen, true);
    figure(`${what}: another account, refused`, seen.other.refused, '', exactly(0));
    await recovery(what);
  }
  await visitors.stop();

  function tell(name: string, { visitors, health }: Beside, spared: boolean): void {
    figure(`${name}: health, longest`, health.longest, 'ms', atMost(HEALTH_MS));
    figure(`${name}: health without an answer 200`, health.refused, '', exactly(0));
    const goal = atMost(Math.max(10, 5 * unloaded.visitors.p99));
    figure(`${name}: visitors, p99`, visitors.p99, 'ms', spared ? goal : undefined);
    const failed = Object.values(visitors.others).reduce((sum, count) => sum + count, 0);
    figure(`${name}: visitors not redirected`, failed, '', spared ? exactly(0) : undefined);
  }

  async function beside(work: () => Promise<unknown>): Promise<Beside> {
    let running = true;
    const more = () => running;
    const health = Promise.all([product.api, product.redirect].map((url) => askHealth(url, more)));
    const other = otherAccount(more);
    const seen = await visitors.during(work);
    running = false;
    const probes = (await health).flat();
    return { visitors: seen, health: told(probes), other: told(await other) };
  }
}

interface Load extends Pick<Flood, 'url' | 'request' | 'keys' | 'slugs'> {
  readonly spares?: boolean;
}

interface Asked {
  readonly ms: number;
  /** 0 means no answer. */
  readonly status: number;
}
interface Beside {
  readonly visitors: Seen;
  readonly health: ReturnType<typeof told>;
  readonly other: ReturnType<typeof told>;
}

function told(probes: readonly Asked[]) {
  const times = probes.map(({ ms }) => ms);
  return {
    longest: Math.max(0, ...times),
    p99: quantile(times, 0.99),
    refused: probes.filter(({ status }) => status >= 400 || status === 0).length,
  };
}

async function ask(url: string, method = 'GET', headers = '', body = ''): Promise<Asked> {
  const { host, pathname } = new URL(url);
  const head = `${method} ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${headers}`;
  const began = performance.now();
  const status = await rawRequest(url, [`${head}Content-Length: ${body.length}\r\n\r\n${body}`]);
  return { status, ms: performance.now() - began };
}

async function askHealth(url: string, more: () => boolean): Promise<Asked[]> {
  const seen: Asked[] = [];
  while (more()) {
    for (const path of ['/healthz', '/readyz']) seen.push(await ask(`${url}${path}`));
    await pause(100);
  }
  return seen;
}

async function otherAccount(more: () => boolean): Promise<Asked[]> {
  const headers = `Authorization: Bearer ${product.key}\r\nContent-Type: application/json\r\n`;
  const seen: Asked[] = [];
  while (more()) {
    seen.push(await ask(`${product.api}/api/v1/links`, 'GET', headers));
    seen.push(await ask(`${product.api}/api/v1/links`, 'POST', headers, '{"destination_url":"https://example.org/"}'));
    await pause(100);
  }
  return seen;
}

/** Measures the time until a creation, a list and health succeed five times in a row. */
async function recovery(name: string): Promise<void> {
  const began = performance.now();
  for (let well = 0; well < 5; ) {
    let requests = 0;
    const seen = [...(await otherAccount(() => requests++ < 1)), await ask(`${product.api}/readyz`)];
    well = seen.every(({ status, ms }) => status < 300 && status > 0 && ms < 250) ? well + 1 : 0;
    if (performance.now() - began > 60_000) break;
  }
  figure(`${name}: as before, after`, performance.now() - began, 'ms', atMost(RECOVERED_MS));
}

/** Opens connections that each get one answer, holds them for half the time, and closes them. */
async function holdConnections(url: string, what: string): Promise<void> {
  const { hostname, port, host } = new URL(url);
  const sockets: net.Socket[] = [];
  const open = async () => {
    const socket = net.connect(Number(port), hostname, () => {
      socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    });
    sockets.push(socket.on('error', () => undefined));
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  };
  while (sockets.length < OPEN) await Promise.all(Array.from({ length: BATCH }, open));
  await pause(SECONDS * 500);
  figure(`${what}: still open in the middle`, sockets.filter(({ destroyed }) => !destroyed).length);
  while (sockets.length > 0) {
    const some = sockets.splice(0, BATCH).filter(({ destroyed }) => !destroyed);
    await Promise.all(some.map((socket) => once(socket.destroy(), 'close')));
    await pause(CLOSING_MS);
  }
}
