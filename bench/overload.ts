/**
 * Far more than the product can do, kind by kind: creations and analytics by fifty accounts, lists by one account,
 * redirects, 5,000 open connections. Beside each: steady visitors, health on both public ports over a new connection
 * every 100 ms, and another account that lists and creates one after the other. Needs `wrk`.
 *
 *   npm run bench -- overload [--seconds 10] [--only EXPRESSION]
 *
 * The reference is the same with nothing beside it, in the same run. Goals: no answer of the API but 2xx and 503 with
 * `Retry-After`, no connection broken; health within 2 s; under load on the API visitors' p99 within 5 times of
 * theirs unloaded (10 ms at least, which the machine's own noise takes); the other account is served during a flood of
 * one account; everything is as before within 5 s after the load.
 */
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { apiClient } from '../services/all-in-one/test/waypost-process.ts';
import { type Flooded, flood } from './lib/flood.ts';
import { atLeast, atMost, exactly, figure } from './lib/goals.ts';
import { cpuMs, makeLinks, quantile, runOn, startProduct } from './lib/product.ts';
import { startVisitors } from './lib/visitors.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string', default: '' } },
});
const SECONDS = Number(values.seconds);
const only = new RegExp(values.only);
const ACCOUNTS = 50;
const CONNECTIONS = 2_000;
const OPEN = 5_000;
/** So many connections are opened, and closed, at a time. */
const BATCH = 250;
/** Between two of them. A bare node:http server stands for 130 ms while 5,000 connections close in one moment. */
const CLOSING_MS = 20;
/** The probes of deploy/chart wait for 3 s. */
const HEALTH_MS = 2_000;
const RECOVERED_MS = 5_000;

const product = await startProduct();
await runOn(product, run);

async function run(): Promise<void> {
  const keys = await Promise.all(Array.from({ length: ACCOUNTS }, async () => (await product.newKey()).key));
  const linksOf = (key: string, count: number) => makeLinks(apiClient(product.api, key), count);
  const slugs = await linksOf(keys[0]!, 2_000);
  const each = await Promise.all(keys.map((key) => linksOf(key, 40)));
  // In the order of the keys, as they are taken in turn.
  const inTurn = each[0]!.flatMap((_, i) => each.map((mine) => mine[i]!));
  const visitors = startVisitors(product.redirect, 300, slugs.slice(0, 100));
  await pause(2_000);
  const creation = `post("/api/v1/links", '{"destination_url":"https://www.wikipedia.org/wiki/Main_Page"}')`;

  // Warm, and what it can do: no more requests than it has lanes for.
  await flood({ url: product.api, keys, request: creation, connections: 16, seconds: Math.min(3, SECONDS) });
  const calm = await flood({
    url: product.api,
    keys,
    request: creation,
    connections: 16,
    seconds: Math.min(5, SECONDS),
  });
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
    let open = 0;
    const seen = await beside(async () => {
      const sockets = await openConnections(url);
      await pause(SECONDS * 500);
      open = sockets.filter(({ destroyed }) => !destroyed).length;
      for (const some of batches(sockets)) {
        await Promise.all(some.map((socket) => once(socket.destroy(), 'close')));
        await pause(CLOSING_MS);
      }
    });
    figure(`${what}: still open in the middle`, open);
    tell(what, seen, true);
    figure(`${what}: another account, refused`, seen.other.refused, '', exactly(0));
    await recovery(what);
    const sockets = await openConnections(url);
    const { max } = await visitors.during(async () => {
      for (const socket of sockets) socket.destroy();
      await pause(1_000);
    });
    figure(`${what}, all closed in one moment: a visitor's longest wait`, max, 'ms');
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
    const asked = (await health).flat();
    return { visitors: seen, health: told(asked), other: told(await other) };
  }
}

interface Load {
  readonly url: string;
  readonly request: string;
  readonly keys?: readonly string[];
  readonly slugs?: readonly string[];
  /** Others are served as if there were no load. */
  readonly spares?: boolean;
}

interface Asked {
  readonly ms: number;
  /** 0: no answer. */
  readonly status: number;
}
interface Told {
  readonly longest: number;
  readonly p99: number;
  readonly refused: number;
}
interface Beside {
  readonly visitors: { readonly p99: number; readonly others: Readonly<Record<string, number>> };
  readonly health: Told;
  readonly other: Told;
}

function told(asked: readonly Asked[]): Told {
  const times = asked.map(({ ms }) => ms);
  return {
    longest: Math.max(0, ...times),
    p99: quantile(times, 0.99),
    refused: asked.filter(({ status }) => status >= 400 || status === 0).length,
  };
}

/** A request over a connection of its own, as a supervisor makes it. */
function ask(url: string, method = 'GET', headers: http.OutgoingHttpHeaders = {}, body = ''): Promise<Asked> {
  const began = performance.now();
  return new Promise((resolve) => {
    const done = (status: number) => resolve({ status, ms: performance.now() - began });
    const request = http.request(url, { method, headers, agent: false, timeout: 10_000 }, (response) => {
      response.resume();
      response.once('end', () => done(response.statusCode ?? 0));
    });
    request.once('timeout', () => request.destroy());
    request.once('error', () => done(0));
    request.end(body);
  });
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
  const headers = { Authorization: `Bearer ${product.key}`, 'Content-Type': 'application/json' };
  const seen: Asked[] = [];
  while (more()) {
    seen.push(await ask(`${product.api}/api/v1/links`, 'GET', headers));
    seen.push(await ask(`${product.api}/api/v1/links`, 'POST', headers, '{"destination_url":"https://example.org/"}'));
    await pause(100);
  }
  return seen;
}

/** How long until a creation, a list and health are answered as they should be, five times in a row. */
async function recovery(name: string): Promise<void> {
  const began = performance.now();
  for (let well = 0; well < 5; ) {
    let asked = 0;
    const seen = [...(await otherAccount(() => asked++ < 1)), await ask(`${product.api}/readyz`)];
    well = seen.every(({ status, ms }) => status < 300 && status > 0 && ms < 250) ? well + 1 : 0;
    if (performance.now() - began > 60_000) break;
  }
  figure(`${name}: as before, after`, performance.now() - began, 'ms', atMost(RECOVERED_MS));
}

/** Each has had an answer, and then waits. */
async function openConnections(url: string): Promise<net.Socket[]> {
  const { hostname, port, host } = new URL(url);
  const sockets: net.Socket[] = [];
  for (let opened = 0; opened < OPEN; opened += BATCH) {
    await Promise.all(
      Array.from({ length: BATCH }, () => {
        const socket = net.connect(Number(port), hostname);
        sockets.push(socket);
        socket.on('error', () => undefined);
        return new Promise<void>((resolve) => {
          socket.once('connect', () => socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
          socket.once('data', () => resolve());
          socket.once('close', () => resolve());
        });
      }),
    );
  }
  return sockets;
}

function* batches(sockets: readonly net.Socket[]): Generator<readonly net.Socket[]> {
  for (let i = 0; i < sockets.length; i += BATCH)
    yield sockets.slice(i, i + BATCH).filter(({ destroyed }) => !destroyed);
}
