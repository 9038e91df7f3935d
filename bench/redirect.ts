/**
 * Measures how fast a visitor is redirected, with the click captured. Needs `wrk`. The reference is a bare `node:http`
 * server on the same machine in the same minutes.
 *
 *   npm run bench -- redirect [--starts 1] [--rounds 5] [--seconds 5] [--loads hot,many]
 *   npm run bench -- redirect --against ../other-clone    compares with the redirector of another working copy
 *   npm run bench -- redirect --redis yes --loads hot,many    compares one Redis with a Redis Cluster of three masters
 *
 * Each round runs every case once, so that a busy minute of the machine affects all; every second round runs them in
 * reverse. The figure is the median. CPU includes the work after a redirect, until its click has left the redirector.
 * Two starts of the same code differ: `--starts 8` starts all servers anew eight times.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startRedis, startRedisCluster } from '../scripts/engines/index.ts';
import { type Flooded, flood } from './lib/flood.ts';
import { endOfGoals, figure } from './lib/goals.ts';
import { benchLinks, REVOKED } from './lib/links.ts';
import { optionsOf } from './lib/options.ts';
import { cpuMs, median, ownMiB } from './lib/product.ts';

const options = optionsOf({ starts: '1', rounds: '5', seconds: '5', loads: '', against: '', redis: '' });
const CONNECTIONS = 64;

interface Server {
  readonly name: string;
  readonly file: string;
  readonly env?: NodeJS.ProcessEnv;
}

interface Case {
  readonly server: Server;
  readonly load: Load;
  readonly rounds: Round[];
}

interface Round extends Pick<Flooded, 'perSecond' | 'p50' | 'p99'> {
  /**
   * CPU microseconds per response of all threads of the server, until it is idle again. On a busy machine this figure
   * is steadier than the rate.
   */
  readonly cpuUs: number;
  readonly errors: number;
}

interface Requests {
  /** Paths without their slash. If empty, each request asks for a new path. */
  readonly paths: readonly string[];
  readonly method?: string;
  /** Headers beside `Host`. The default is those of a browser. */
  readonly headers?: string;
  /** The answer is an explanation page with a status of 400 or more. */
  readonly isPage?: boolean;
}

const BROWSER = `Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8\r
Accept-Encoding: gzip, deflate, br, zstd\r
Accept-Language: en-GB,en;q=0.9,de;q=0.8\r
Referer: https://news.example.com/2026/11/story?id=7\r
Sec-Fetch-Dest: document\r
Sec-Fetch-Mode: navigate\r
Sec-Fetch-Site: cross-site\r
Upgrade-Insecure-Requests: 1\r
User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36\r
`;

const folder = mkdtempSync(path.join(tmpdir(), 'redirect-bench-'));
const slugs = benchLinks().map(({ slug }) => slug);
const LOADS = {
  hot: { paths: slugs.slice(0, 1) },
  many: { paths: slugs },
  'hot-minimal': { paths: slugs.slice(0, 1), headers: '' },
  'many-minimal': { paths: slugs, headers: '' },
  closing: { paths: slugs, headers: `${BROWSER}Connection: close\r\n` },
  head: { paths: slugs, method: 'HEAD' },
  unknown: { paths: ['nothere'], isPage: true },
  revoked: { paths: [REVOKED.slug], isPage: true },
  /** No earlier request asked for these slugs. */
  misses: { paths: [], isPage: true },
} satisfies Record<string, Requests>;
type Load = keyof typeof LOADS;
const isLoad = (name: string): name is Load => Object.hasOwn(LOADS, name);
const loads = (options.loads === '' ? Object.keys(LOADS) : options.loads.split(',')).filter(isLoad);
const referenceLoads = loads.filter((load) => load === 'hot' || load === 'many');

const reference: Server = { name: 'bare node:http', file: 'lib/bare-server.ts' };
const stops: (() => Promise<unknown>)[] = [];
const REDIRECTOR = 'lib/redirector-server.ts';
const measured: Server[] = options.redis === '' ? [{ name: 'redirector', file: REDIRECTOR }] : await onRedis();
if (options.against !== '')
  measured.push({ name: 'the other', file: path.resolve(options.against, 'bench', REDIRECTOR) });

const cases: Case[] = [
  ...referenceLoads.map((load) => ({ server: reference, load, rounds: [] })),
  ...loads.flatMap((load) => measured.map((server) => ({ server, load, rounds: [] }))),
];
for (let i = 0; i < Number(options.starts); i += 1) await start();
report();
for (const stop of stops) await stop();
rmSync(folder, { recursive: true });
endOfGoals();

type Target = Awaited<ReturnType<typeof serve>>;

async function start(): Promise<void> {
  const targets = new Map<Server, Target>();
  for (const server of [reference, ...measured]) targets.set(server, await serve(server));
  for (const { server, load } of cases) await round(targets.get(server)!, load, 2);
  for (let i = 0; i < Number(options.rounds); i += 1)
    for (const { server, load, rounds } of i % 2 === 0 ? cases : cases.toReversed())
      rounds.push(await round(targets.get(server)!, load, Number(options.seconds)));
  for (const server of measured) figure(`memory of ${server.name}`, ownMiB(targets.get(server)!.pid), 'MiB');
  for (const target of targets.values()) await target.stop();
}

async function onRedis(): Promise<Server[]> {
  const one = await startRedis({ dir: path.join(folder, 'one') });
  const cluster = await startRedisCluster({ dir: path.join(folder, 'cluster') });
  stops.push(
    () => one.stop(),
    () => cluster.stop(),
  );
  const on = (name: string, REDIS_URL: string) => {
    return { name, file: REDIRECTOR, env: { ...process.env, REDIS_URL, MICRO_CACHE_MS: '200' } };
  };
  return [on('on a Redis Cluster', cluster.url), on('on one Redis', `redis://127.0.0.1:${one.port}`)];
}

async function serve({ name, file, env = process.env }: Server) {
  const program = path.resolve(import.meta.dirname, file);
  const child = spawn(process.execPath, [...process.execArgv, program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill); // even when the benchmark itself fails
  child.once('exit', () => process.off('exit', kill));
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(String(data).trim()));
    child.once('exit', () => reject(new Error(`${name} did not start`)));
  });
  child.stdout.on('data', (data) => process.stdout.write(`${name}: ${data}`));
  const ended = once(child, 'exit');
  const stop = () => child.kill('SIGTERM') && ended;
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop };
}

/** Waits until the redirector has read its click log and sent the clicks: that work belongs to the same round. */
async function untilAtRest(pid: number): Promise<void> {
  const restMs = 20;
  for (let i = 0, before = Number.NEGATIVE_INFINITY; i < 40 && cpuMs(pid) - before > restMs; i += 1) {
    before = cpuMs(pid);
    await pause(250);
  }
}

async function round({ url, pid }: Target, load: Load, seconds: number): Promise<Round> {
  const { paths, method = 'GET', headers = BROWSER, isPage = false }: Requests = LOADS[load];
  const start = Math.floor(Math.random() * 1e6);
  const slug = paths.length === 0 ? `"miss-" .. n + ${start}` : `slugs[(n + ${start}) % #slugs + 1]`;
  const request = `"${method} /" .. ${slug} .. rest`;
  const rest = ` HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;
  const cpuBefore = cpuMs(pid);
  const plan = { url, connections: CONNECTIONS, seconds, request, rest, slugs: paths };
  const { answers, errors, ...times } = await flood(plan);
  await untilAtRest(pid);
  const cpuUs = ((cpuMs(pid) - cpuBefore) * 1_000) / answers;
  return { ...times, cpuUs, errors: isPage ? answers - errors : errors };
}

function report(): void {
  for (const { server, load, rounds } of cases) {
    const what = `${server.name}, ${load}`;
    figure(`${what}, rate`, median(rounds.map(({ perSecond }) => perSecond)), 'a second');
    figure(`${what}, CPU`, median(rounds.map(({ cpuUs }) => cpuUs)), 'us');
    for (const { perSecond, p50, p99 } of rounds)
      console.log(`  ${Math.round(perSecond)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
    if (errors > 0) console.log(`  ${errors} answers were not the expected ones`);
  }
  for (const { load, rounds } of cases.filter(({ server }) => server === measured[0])) {
    const other = cases.find((one) => one.load === load && one.server === (measured[1] ?? reference));
    if (other === undefined) continue;
    // Both belong to one round, so the load of the machine affects both alike.
    const rates = rounds.map(({ perSecond }, i) => perSecond / other.rounds[i]!.perSecond);
    const costs = rounds.map(({ cpuUs }, i) => other.rounds[i]!.cpuUs / cpuUs);
    figure(`${load}, times the rate of ${other.server.name}`, median(rates));
    figure(`${load}, times ${other.server.name} by CPU`, median(costs));
  }
}
