/**
 * How fast a visitor is redirected, with the click captured, beside a bare `node:http` server on the same machine in
 * the same minutes. Needs `wrk`.
 *
 *   npm run bench -- redirect [--rounds 5] [--seconds 5] [--connections 64] [--workers 1] [--loads hot,many]
 *   npm run bench -- redirect --against ../other-clone    beside the redirector of another working copy, in turn
 *   npm run bench -- redirect --product    with the rest of the product in the same process, and its engines
 *
 * Rounds rotate over all cases, so that a busy minute of the machine hits each; the figure is the median. CPU counts what
 * follows a redirect, too, until its click has left the redirector. Two starts of the same code differ by up to 0.15 times
 * in all their rounds: to compare two working copies, take the mean of several runs.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { endOfGoals, figure } from './lib/goals.ts';
import { benchLinks, REVOKED } from './lib/links.ts';
import { makeLinks, median, startProduct } from './lib/product.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    /** `REDIRECT_WORKERS` */
    workers: { type: 'string', default: '1' },
    /** Those of `LOADS`; the product has no link that is known to be revoked. */
    loads: { type: 'string' },
    /** A folder with another working copy. */
    against: { type: 'string' },
    product: { type: 'boolean', default: false },
  },
});

interface Target {
  readonly name: string;
  readonly url: string;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

interface Case {
  readonly target: Target;
  readonly load: Load;
  readonly rounds: Round[];
}

interface Round {
  readonly perSecond: number;
  /**
   * Microseconds of CPU of the server, all its threads, per response, until it is at rest again; steadier than the rate
   * on a busy machine.
   */
  readonly cpuUs: number;
  readonly p50: string;
  readonly p99: string;
  readonly errors: number;
}

interface Requests {
  /** Without their slashes; none: each request has one that was never asked for. */
  readonly paths: readonly string[];
  readonly method?: string;
  /** Beside `Host`; those of a browser unless given. */
  readonly headers?: string;
  /** The answer is a page of an explanation, with a status from 400 on. */
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
const product = options.product ? await startProduct() : undefined;
const slugs = product === undefined ? benchLinks().map(({ slug }) => slug) : await makeLinks(product.call, 10_000);
const LOADS = {
  hot: { paths: slugs.slice(0, 1) },
  many: { paths: slugs },
  'hot-minimal': { paths: slugs.slice(0, 1), headers: '' },
  'many-minimal': { paths: slugs, headers: '' },
  /** A connection for each. */
  closing: { paths: slugs, headers: `${BROWSER}Connection: close\r\n` },
  head: { paths: slugs, method: 'HEAD' },
  unknown: { paths: ['nothere'], isPage: true },
  revoked: { paths: [REVOKED.slug], isPage: true },
  /** Slugs that nobody asked for before. */
  misses: { paths: [], isPage: true },
} satisfies Record<string, Requests>;
type Load = keyof typeof LOADS;
const isLoad = (name: string): name is Load => Object.hasOwn(LOADS, name);
const loads = (options.loads?.split(',') ?? Object.keys(LOADS)).filter(isLoad);
const measuredLoads = loads.filter((load) => product === undefined || load !== 'revoked');
const referenceLoads = loads.filter((load) => load === 'hot' || load === 'many');
const scripts = Object.fromEntries(loads.map((load) => [load, wrkScript(load, LOADS[load])]));

const others = options.against === undefined ? [] : [path.resolve(options.against, 'bench')];
const reference = await serve('bare node:http', path.join(import.meta.dirname, 'lib/bare-server.ts'));
const measured: Target[] =
  product === undefined
    ? await Promise.all([import.meta.dirname, ...others].map(redirector))
    : [{ name: 'the product', url: product.redirect, pid: product.pid, stop: () => product.remove() }];

const cases: Case[] = [
  ...referenceLoads.map((load) => ({ target: reference, load, rounds: [] })),
  ...measuredLoads.flatMap((load) => measured.map((target) => ({ target, load, rounds: [] }))),
];
for (const { target, load } of cases) await round(target, load, 2); // warm up
const memoryAtStart = measured.map(({ pid }) => memoryMb(pid));
for (let i = 0; i < Number(options.rounds); i += 1) {
  for (const { target, load, rounds } of cases) rounds.push(await round(target, load, Number(options.seconds)));
}
report();
for (const target of [...measured, reference]) await target.stop();
rmSync(folder, { recursive: true });
endOfGoals();

function redirector(bench: string): Promise<Target> {
  const name = bench === import.meta.dirname ? 'redirector' : 'the other';
  return serve(name, path.join(bench, 'lib/redirector-server.ts'), { REDIRECT_WORKERS: options.workers });
}

async function serve(name: string, file: string, env: NodeJS.ProcessEnv = {}): Promise<Target> {
  const child = spawn(process.execPath, [file, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  process.once('exit', () => child.kill('SIGKILL')); // even when the benchmark itself fails
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(String(data).trim()));
    child.once('exit', () => reject(new Error(`${name} did not start`)));
  });
  child.stdout.on('data', (data) => process.stdout.write(`${name}: ${data}`));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    name,
    url: `http://127.0.0.1:${port}`,
    pid: child.pid,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** What follows a redirect belongs to its cost, not to the next round: the click log is read, and its clicks are sent. */
async function untilAtRest(pid: number | undefined): Promise<void> {
  const mostSeconds = 0.02;
  for (let i = 0, before = Number.NEGATIVE_INFINITY; i < 40 && cpuSeconds(pid) - before > mostSeconds; i += 1) {
    before = cpuSeconds(pid);
    await pause(250);
  }
}

/** Each connection walks through the paths with its own step. */
function wrkScript(name: Load, { paths, method = 'GET', headers = BROWSER }: Requests): string {
  const file = path.join(folder, `${name}.lua`);
  const rest = JSON.stringify(` HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
  const lua = `
local paths, rest = {${paths.map((slug) => JSON.stringify(slug)).join(',')}}, ${rest}
local requests, at = {}, 0
init = function()
  math.randomseed(os.time())
  for i, path in ipairs(paths) do requests[i] = "${method} /" .. path .. rest end
  at = math.random(#paths + 1000000)
end
request = function()
  at = at + 1
  return requests[at % #paths + 1] or "${method} /miss-" .. at .. rest
end
done = function(summary, latency)
  io.write(string.format("RESULT %d %f %f %f %d\\n", summary.requests, summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, summary.errors.status))
end
`;
  writeFileSync(file, lua);
  return file;
}

async function round({ url, pid }: Target, load: Load, seconds: number): Promise<Round> {
  const connections = options.connections;
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', scripts[load]!, url];
  const cpuBefore = cpuSeconds(pid);
  const { stdout } = await promisify(execFile)('wrk', args);
  await untilAtRest(pid);
  const [, requests, perSecond, p50, p99, pages] = /RESULT (\S+) (\S+) (\S+) (\S+) (\S+)/.exec(stdout) ?? [];
  if (perSecond === undefined) throw new Error(`wrk said: ${stdout}`);
  return {
    perSecond: Number(perSecond),
    cpuUs: ((cpuSeconds(pid) - cpuBefore) * 1e6) / Number(requests),
    p50: Number(p50).toFixed(1),
    p99: Number(p99).toFixed(1),
    errors: 'isPage' in LOADS[load] ? Number(requests) - Number(pages) : Number(pages),
  };
}

function report(): void {
  for (const { target, load, rounds } of cases) {
    const what = `${target.name}, ${load}`;
    figure(`${what}, rate`, median(rounds.map(({ perSecond }) => perSecond)), 'a second');
    figure(`${what}, CPU`, median(rounds.map(({ cpuUs }) => cpuUs)), 'us');
    for (const { perSecond, p50, p99 } of rounds)
      console.log(`  ${Math.round(perSecond)} a second, p50 ${p50} ms, p99 ${p99} ms`);
    const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
    if (errors > 0) console.log(`  ${errors} answers were not the expected ones`);
  }
  for (const { load, rounds } of cases.filter(({ target }) => target === measured[0])) {
    const other = cases.find((one) => one.load === load && one.target === (measured[1] ?? reference));
    if (other === undefined) continue;
    // Of each pair of rounds, which ran one after the other; then the median.
    const times = (of: (one: Round, another: Round) => number) =>
      median(rounds.map((one, i) => of(one, other.rounds[i]!)));
    figure(
      `${load}, times the rate of ${other.target.name}`,
      times((one, another) => one.perSecond / another.perSecond),
    );
    figure(
      `${load}, times ${other.target.name} by CPU`,
      times((one, another) => another.cpuUs / one.cpuUs),
    );
  }
  for (const [i, { name, pid }] of measured.entries())
    console.log(`memory of ${name}: ${memoryAtStart[i]} at the start, ${memoryMb(pid)} at the end`);
}

function cpuSeconds(pid: number | undefined): number {
  if (pid === undefined) return Number.NaN;
  // The fields follow the name in parentheses; user and system time are the 12th and 13th, in hundredths of a second.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function memoryMb(pid: number | undefined): string {
  if (pid === undefined) return 'unknown';
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return `${Math.round(Number(kb) / 1024)} MB`;
}
