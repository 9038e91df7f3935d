/**
 * Measures the most expensive requests and their effect on visitors.
 *
 * Each kind of `lib/hostile-corpus.ts` runs beside a steady 500 redirects a second. It runs first alone, to measure the
 * CPU of the process and its PostgreSQL, then over four connections. Bulks of 500, 90-day analytics and the import of a
 * million-line feed run first. The memory a minute after them is compared with that a minute after the hostile
 * requests.
 *
 *   npm run bench -- hostile [--only EXPRESSION] [--seconds 1.5]
 *
 * The reference is the same visitors without other work, in the same run. Exits with 1 if a goal was missed:
 * - no answer is 5xx;
 * - no kind has a median over 250 ms of CPU (alone);
 * - visitors' p99 is at most 10 ms and their maximum 50 ms;
 * - memory grows by at most a quarter, because V8 and glibc keep some memory and return it later.
 *
 * A kind that misses is measured up to three times more, over AGAIN_SECONDS, after the visitors alone see a quiet
 * machine. In 1.5 s, one pause of 20 ms is already more than a hundredth. A kind counts only if it misses each time.
 */
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { apiClient } from '../services/all-in-one/test/waypost-process.ts';
import { atMost, exactly, figure } from './lib/goals.ts';
import { type HostileKind, hostileKinds } from './lib/hostile-corpus.ts';
import { optionsOf } from './lib/options.ts';
import { cpuMs, makeLinks, median, ownMiB, repeat, runOn, startProduct } from './lib/product.ts';
import { rawRequest } from './lib/raw-client.ts';
import type { Seen } from './lib/steady-visitors.ts';
import { startVisitors, type Visitors } from './lib/visitors.ts';

const options = optionsOf({ only: '', seconds: '1.5' });
const only = new RegExp(options.only);
const SECONDS = Number(options.seconds);
const AGAIN = 3;
const CALM_TRIES = 10;
const AGAIN_SECONDS = Math.max(SECONDS, 6);
const PER_SECOND = 500;
const CONNECTIONS = 4;
const ALONE = 5;
const GOAL = { cpuMs: 250, p99Ms: 10, maxMs: 50, memory: 1.25 };
/** The largest account that lists and searches serve. */
const LINKS = 100_000;
/** Each may scan 10,000 rows at once without making links. */
const OTHER_ACCOUNTS = 60;

const product = await startProduct();
const pid = product.pid;
let missed = 0;
await runOn(product, run);

async function run(): Promise<void> {
  // A search over these links is expensive. The destination of the second link makes its visitor page as large as
  // possible.
  const slugs = await makeLinks(product.call, LINKS, (i) => ({
    destination_url: `https://www.wikipedia.org/${i === 1 ? `?${'&'.repeat(2_000)}` : `wiki/${i}/${'w'.repeat(60)}`}`,
  }));
  const visitors = startVisitors(product.redirect, PER_SECOND, slugs.slice(2, 102));
  // The database's connections that made the links end now. Their CPU would be missing after the next five seconds.
  await pause(15_000);
  await visitors.during(() => pause(3_000));
  const idleFrom = cpuMs(pid);
  const alone = await visitors.during(() => pause(5_000));
  const idleCpu = (cpuMs(pid) - idleFrom) / 5_000;
  missed += report('visitors with nothing beside them', alone, '');
  await ordinaryWork(visitors, slugs);
  const before = await atRest();

  const otherKeys: string[] = [];
  while (otherKeys.length < OTHER_ACCOUNTS) otherKeys.push((await product.newKey()).key);
  const keys = { key: product.key, otherKeys };
  let kinds = hostileKinds(keys, slugs, new URL(product.api).host).filter(({ name }) => only.test(name));
  for (let again = 0; again <= AGAIN && kinds.length > 0; again++) {
    const misses: HostileKind[] = [];
    for (const kind of kinds) {
      if (again > 0) await quiet(visitors);
      const faults = await measure(kind, visitors, idleCpu, again > 0 ? AGAIN_SECONDS : SECONDS);
      if (faults > 0) misses.push(kind);
    }
    kinds = misses;
  }
  for (const { name } of kinds) console.log(`${name}: missed each time`);
  missed += kinds.length;
  const after = await atRest();
  await visitors.stop();
  figure('memory a minute after ordinary work', before, 'MiB');
  figure('memory a minute after the hostile requests', after, 'MiB');
  figure('memory, ratio', after / before, '', atMost(GOAL.memory));
  figure('goals missed beside requests', missed, '', exactly(0));
}

/** Resolves to the memory in MiB with nothing beside visitors. An idle process gives some back once a minute. */
async function atRest(): Promise<number> {
  await pause(70_000);
  return ownMiB(pid);
}

/** Waits until two seconds of visitors alone are undisturbed, at most CALM_TRIES times. */
async function quiet(visitors: Visitors): Promise<void> {
  for (let tries = 0; tries < CALM_TRIES; tries++) {
    const { p99, disturbed } = await visitors.during(() => pause(2_000));
    if (disturbed === 0 && p99 <= GOAL.p99Ms / 2) return;
  }
}

async function measure(kind: HostileKind, visitors: Visitors, idleCpu: number, seconds: number): Promise<number> {
  const url = { redirect: product.redirect, api: product.api, internal: product.internal }[kind.to];
  const statuses: Record<number, number> = {};
  const cpu: number[] = [];
  let sent = 0;
  const ask = async () => {
    sent += 1;
    const status = await rawRequest(url, kind.request(sent));
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const seen = await visitors.during(async () => {
    if (kind.unread > 0) return holdUnread(url, kind, kind.unread, seconds);
    for (let i = 0; i < ALONE; i++) {
      const [before, began] = [cpuMs(pid), performance.now()];
      await ask();
      cpu.push(cpuMs(pid) - before - idleCpu * (performance.now() - began));
    }
    await repeat(CONNECTIONS, seconds, ask);
  });
  const counts = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`);
  const faults = [
    ...(Object.keys(statuses).some((status) => Number(status) >= 500) ? ['5xx'] : []),
    ...(median(cpu) > GOAL.cpuMs ? ['CPU'] : []),
  ];
  return report(kind.name, seen, `CPU ${median(cpu).toFixed(1).padStart(6)} ms  ${counts.join(', ')}`, faults);
}

/** Sends on all connections and reads none, then closes all. */
async function holdUnread(url: string, kind: HostileKind, count: number, seconds: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, (_, i) => {
    const socket = net.connect(Number(port), hostname, () => {
      for (const part of kind.request(i)) socket.write(part);
    });
    return socket.pause().on('error', () => undefined);
  });
  await pause(seconds * 2_000);
  for (const socket of sockets) socket.destroy();
}

/** The works that `--only` names. */
async function ordinaryWork(visitors: Visitors, slugs: readonly string[]): Promise<void> {
  const over = (connections: number, work: (n: number) => Promise<{ status: number }>) => () =>
    repeat(connections, 10, async (n) => {
      const { status } = await work(n);
      if (status >= 500) missed += 1;
    });
  const links = Array.from({ length: 500 }, (_, i) => ({ destination_url: `https://www.wikipedia.org/wiki/${i}` }));
  // Another account: bulks make more links than an account has whose lists are measured.
  const bulk = apiClient(product.api, (await product.newKey()).key);
  const lines = Array.from({ length: 1_000_000 }, (_, i) => `http://h${i}.listed.example/a${i}\n`);
  const content = Buffer.from(lines.join('')).toString('base64');
  const feed = { format: 'urls', 'threat-type': 'malware', content };
  const works: Record<string, (again: number) => Promise<unknown>> = {
    'ordinary: bulks of 500 over 2 connections': over(2, () => bulk('POST', '/api/v1/links/bulk', { links })),
    'ordinary: 90-day analytics over 4 connections': over(4, (n) =>
      product.call('GET', `/api/v1/links/${slugs[n % 100]}/analytics?period=90d`),
    ),
    'ordinary: import of a feed of a million lines': (again) =>
      product.admin('import-feed', { ...feed, name: `million-${again}` }),
  };
  for (const [name, work] of Object.entries(works)) {
    if (!only.test(name)) continue;
    let faults = 1;
    for (let again = 0; again <= AGAIN && faults > 0; again++) {
      if (again > 0) await quiet(visitors);
      faults = report(name, await visitors.during(() => work(again)), '');
    }
    missed += faults;
  }
}

function report(
  name: string,
  { visits, others, p50, p99, max, lateMs, disturbed }: Seen,
  detail: string,
  faults: string[] = [],
): number {
  const all = [
    ...faults,
    ...(p99 > GOAL.p99Ms ? ['p99'] : []),
    ...(max > GOAL.maxMs ? ['max'] : []),
    ...(disturbed > visits / 100 ? ['too many disturbed'] : []),
    ...(Object.keys(others).length > 0 ? [`visitors saw ${JSON.stringify(others)}`] : []),
  ];
  const figures = [p50, p99, max].map((ms) => ms.toFixed(1).padStart(6)).join(' ');
  console.log(
    `${name.padEnd(62)} visitors ${String(visits).padStart(5)}  p50, p99, max ${figures} ms (timer ${lateMs.toFixed(1)}, disturbed ${disturbed})  ${detail}${all.length === 0 ? '' : `  MISSED: ${all.join(', ')}`}`,
  );
  return all.length;
}
