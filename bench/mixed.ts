/**
 * Everything at once at half of what the machine can do, for as long as you like: redirects (hot, cold, unknown),
 * creations, lists, analytics, bulks. Each minute says what visitors and clients waited, what memory and queues are. At
 * the end the process is killed under load (SIGKILL) and started again: every link and click that was answered is there.
 *
 *   npm run bench -- mixed [--minutes 60] [--rate REDIRECTS_A_SECOND] [--every 60]
 *
 * Without `--rate`, two probes of ten seconds tell which rate takes half of the processors, with PostgreSQL and the
 * clients, which are on the same machine. Goals: memory does not grow (slope within twice its error, or under 1 MiB a
 * minute), queues are empty at the end, nothing fails, nothing is lost.
 */
import http from 'node:http';
import os from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fillLinks, withPostgres } from './lib/fill.ts';
import { atMost, exactly, figure } from './lib/goals.ts';
import { cpuMs, median, ownMiB, quantile, runOn, startProduct } from './lib/product.ts';
import { metricsOf, storedClicks, untilEmpty } from './lib/queues.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string' },
    /** Seconds between two lines. */
    every: { type: 'string', default: '60' },
  },
});
const MINUTES = Number(values.minutes);
const EVERY_MS = Number(values.every) * 1_000;
const COLD = 200_000;
/** In a thousand requests of visitors, beside them. */
const CREATIONS = 60;
const LISTS = 10;
const ANALYTICS = 5;
const BULKS = 0.1;
const BULK = 200;
const PROBE_RATE = 400;
const PROBE_MS = 10_000;

type Kind = 'hot' | 'cold' | 'unknown' | 'create' | 'list' | 'analytics' | 'bulk';

const product = await startProduct();
const { email } = product;
await product.stop();
await withPostgres(product.dataDir, (db) => fillLinks(db, { email, prefix: 'cold-', count: COLD }));
await product.restart();

const agents = {
  visitors: new http.Agent({ keepAlive: true, maxSockets: 64 }),
  clients: new http.Agent({ keepAlive: true, maxSockets: 64 }),
};
const headers = { Authorization: `Bearer ${product.key}`, 'Content-Type': 'application/json' };
const made: string[] = [];
let created = 0;
let redirected = 0;
/** Visits that broke off: their clicks may be stored. */
let unsure = 0;
let dying = false;
let times = new Map<Kind, number[]>();
const failures: Record<string, number> = {};

await runOn(product, async () => {
  for (let i = 0; i < 50; i++) await request('create');
  const rate = values.rate === undefined ? await halfCapacity() : Number(values.rate);
  figure('visitors', rate, 'a second');
  await run(rate);
});

/** The second probe is at the rate that the first one found: a request costs less where there are more. */
async function halfCapacity(): Promise<number> {
  await coresAt(PROBE_RATE); // warm
  let rate = PROBE_RATE;
  for (let probe = 0; probe < 2; probe++) rate *= (os.availableParallelism() * 0.5) / (await coresAt(rate));
  return Math.round(rate);
}

/** Processors that the product, its PostgreSQL and this process take. */
async function coresAt(rate: number): Promise<number> {
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return cpuMs(product.pid) + (user + system) / 1_000;
  };
  const before = cpu();
  const stop = load(rate);
  await pause(PROBE_MS);
  await stop();
  return (cpu() - before) / PROBE_MS;
}

async function run(rate: number): Promise<void> {
  const stop = load(rate);
  const memory: [minutes: number, mib: number][] = [];
  const began = performance.now();
  let cpu = cpuMs(product.pid);
  while (performance.now() - began < MINUTES * 60_000) {
    times = new Map();
    await pause(EVERY_MS);
    const minutes = (performance.now() - began) / 60_000;
    const metrics = await metricsOf(product.internal);
    const own = ownMiB(product.pid, false);
    const now = cpuMs(product.pid);
    memory.push([minutes, own]);
    const waits = [...times].map(
      ([kind, each]) => `${kind} ${median(each).toFixed(1)}/${quantile(each, 0.99).toFixed(1)}`,
    );
    console.log(
      `${minutes.toFixed(1)} min: ${own.toFixed(0)} MiB, with PostgreSQL ${ownMiB(product.pid).toFixed(0)}, heap ${(metrics('nodejs_heap_size_used_bytes') / 2 ** 20).toFixed(0)}, CPU ${((now - cpu) / EVERY_MS).toFixed(2)}; p50/p99 ms: ${waits.join(', ')}; unsent ${metrics('waypost_click_log_unsent_bytes')} B, outbox ${metrics('waypost_outbox_events')}, lag ${metrics('waypost_bus_consumer_lag_messages')}`,
    );
    cpu = now;
  }
  // Caches fill in the first fifth.
  const settled = memory.slice(Math.floor(memory.length / 5));
  if (settled.length > 2) {
    const { slope, error } = leastSquares(settled);
    figure('memory, slope', slope, 'MiB a minute', atMost(Math.max(1, 2 * error)));
    figure('memory, error of the slope', error, 'MiB a minute');
  }
  const failed = Object.entries(failures);
  figure(
    'requests that failed',
    failed.reduce((sum, [, count]) => sum + count, 0),
    '',
    exactly(0),
  );
  for (const [what, count] of failed) console.log(`  ${what}: ${count}`);

  dying = true;
  await product.kill();
  await stop();
  await product.restart();
  await nothingIsLost();
}

/** An open loop for each kind: a request starts when it is due, whatever became of earlier ones. */
function load(rate: number): () => Promise<void> {
  const underWay = new Set<Promise<void>>();
  const every = (perSecond: number, kind: () => Kind) => {
    let due = performance.now();
    return setInterval(() => {
      for (; due <= performance.now(); due += 1_000 / perSecond) {
        const one = request(kind()).finally(() => underWay.delete(one));
        underWay.add(one);
      }
    }, 5);
  };
  const timers = [
    every(rate, () => {
      const share = Math.random();
      return share < 0.8 ? 'hot' : share < 0.95 ? 'cold' : 'unknown';
    }),
    every((rate * CREATIONS) / 1_000, () => 'create'),
    every((rate * LISTS) / 1_000, () => 'list'),
    every((rate * ANALYTICS) / 1_000, () => 'analytics'),
    every((rate * BULKS) / 1_000, () => 'bulk'),
  ];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await Promise.all(underWay);
  };
}

async function request(kind: Kind): Promise<void> {
  const began = performance.now();
  const { status, body } = await send(kind);
  const each = times.get(kind) ?? [];
  times.set(kind, each);
  each.push(performance.now() - began);
  const wanted = { hot: 302, cold: 302, unknown: 404, create: 201, list: 200, analytics: 200, bulk: 201 }[kind];
  if (status !== wanted) {
    if (!dying) failures[`${kind} ${status}`] = (failures[`${kind} ${status}`] ?? 0) + 1;
    if (status === 0 && (kind === 'hot' || kind === 'cold')) unsure += 1;
  } else if (status === 302) redirected += 1;
  else if (kind === 'create') {
    created += 1;
    made.push(JSON.parse(body).link.slug);
  } else if (kind === 'bulk') created += BULK;
}

function send(kind: Kind): Promise<{ status: number; body: string }> {
  const any = made.length === 0 ? 'cold-1' : made[Math.floor(Math.random() * made.length)];
  const url = 'https://www.wikipedia.org/wiki/Main_Page';
  switch (kind) {
    case 'hot':
      return ask(product.redirect, `/cold-${1 + Math.floor(Math.random() * 100)}`);
    case 'cold':
      return ask(product.redirect, `/cold-${1 + Math.floor(Math.random() * COLD)}`);
    case 'unknown':
      return ask(product.redirect, `/none-${Math.floor(Math.random() * 1e9)}`);
    case 'create':
      return ask(product.api, '/api/v1/links', JSON.stringify({ destination_url: url, tags: ['mixed'] }));
    case 'list':
      return ask(product.api, `/api/v1/links?limit=50&page=${1 + Math.floor(Math.random() * 20)}`);
    case 'analytics':
      return ask(product.api, `/api/v1/links/${any}/analytics?period=90d`);
    case 'bulk':
      return ask(
        product.api,
        '/api/v1/links/bulk',
        JSON.stringify({ links: Array.from({ length: BULK }, () => ({ destination_url: url })) }),
      );
  }
}

/** Status 0: no whole answer. */
function ask(base: string, path: string, body?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve) => {
    const isApi = base === product.api;
    const options = {
      method: body === undefined ? 'GET' : 'POST',
      agent: isApi ? agents.clients : agents.visitors,
      headers: isApi ? headers : { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/142.0.0.0' },
    };
    const one = http.request(`${base}${path}`, options, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.once('close', () => resolve({ status: response.complete ? response.statusCode! : 0, body: text }));
    });
    one.once('error', () => resolve({ status: 0, body: '' }));
    one.end(body);
  });
}

async function nothingIsLost(): Promise<void> {
  const { body } = await product.call('GET', '/api/v1/links?limit=1');
  figure('links answered 201 that are missing', Math.max(0, COLD + created - body.total), '', exactly(0));
  let gone = 0;
  for (const slug of made.slice(-500)) {
    const { status } = await product.call('GET', `/api/v1/links/${slug}`);
    if (status !== 200) gone += 1;
  }
  figure('of the last 500 created, missing', gone, '', exactly(0));

  figure('clicks and events that still wait', await untilEmpty(product.internal, 60_000), '', exactly(0));
  await product.stop();
  const stored = await storedClicks(product.dataDir);
  figure('visitors redirected', redirected);
  figure('clicks stored', stored);
  figure('visits answered 302 whose click is lost', Math.max(0, redirected - stored), '', exactly(0));
  figure('clicks of no visit', Math.max(0, stored - redirected - unsure), '', exactly(0));
  await product.restart();
}

function leastSquares(points: readonly (readonly [x: number, y: number])[]): { slope: number; error: number } {
  const n = points.length;
  const mean = (of: (point: readonly [number, number]) => number) => points.reduce((sum, p) => sum + of(p), 0) / n;
  const [mx, my] = [mean(([x]) => x), mean(([, y]) => y)];
  const sxx = points.reduce((sum, [x]) => sum + (x - mx) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - mx) * (y - my), 0) / sxx;
  const rest = points.reduce((sum, [x, y]) => sum + (y - my - slope * (x - mx)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (n - 2) / sxx) };
}
