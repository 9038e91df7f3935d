/**
 * How fast a visitor is redirected, with the click captured, beside a bare `node:http` server on the same machine in
 * the same minutes. Needs `wrk`.
 *
 *   node bench/redirect.ts [--rounds 5] [--seconds 5] [--connections 64]
 *   node bench/redirect.ts --url http://127.0.0.1:8081 --slugs slugs.txt [--pid 1234]    a running product
 *
 * Rounds rotate over all cases, so that a busy minute of the machine hits each; the figure is the median.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { benchLinks } from './lib/links.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    url: { type: 'string' },
    /** One slug per line. */
    slugs: { type: 'string' },
    /** The process to measure memory and CPU of, with `--url`. */
    pid: { type: 'string' },
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
  readonly load: 'hot' | 'many';
  readonly rounds: Round[];
}

interface Round {
  readonly perSecond: number;
  /** Microseconds of CPU of the server, all its threads, per response; steadier than the rate on a busy machine. */
  readonly cpuUs: number;
  readonly p50: string;
  readonly p99: string;
  readonly errors: number;
}

const folder = mkdtempSync(path.join(tmpdir(), 'redirect-bench-'));
const slugs =
  options.slugs === undefined
    ? benchLinks().map(({ slug }) => slug)
    : readFileSync(options.slugs, 'utf8').split('\n').filter(Boolean);
const scripts = { hot: wrkScript('hot', slugs.slice(0, 1)), many: wrkScript('many', slugs) };

const reference = await serve('bare node:http', 'bare-server.ts');
const measured: Target =
  options.url === undefined
    ? await serve('redirector', 'redirector-server.ts')
    : { name: options.url, url: options.url, pid: Number(options.pid) || undefined, stop: async () => undefined };

const cases: Case[] = [reference, measured].flatMap((target) => [
  { target, load: 'hot' as const, rounds: [] },
  { target, load: 'many' as const, rounds: [] },
]);
for (const { target, load } of cases) await round(target, load, 2); // warm up
const memoryAtStart = memoryMb(measured.pid);
for (let i = 0; i < Number(options.rounds); i += 1) {
  for (const { target, load, rounds } of cases) rounds.push(await round(target, load, Number(options.seconds)));
}
report(memoryAtStart, memoryMb(measured.pid));
await measured.stop();
await reference.stop();
rmSync(folder, { recursive: true });

async function serve(name: string, file: string): Promise<Target> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'lib', file), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
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

/** Requests like those of browsers; each thread walks through the slugs with its own step. */
function wrkScript(name: string, paths: readonly string[]): string {
  const file = path.join(folder, `${name}.lua`);
  const lua = `
local paths = {${paths.map((slug) => JSON.stringify(`/${slug}`)).join(',')}}
local headers = {
  ["Accept"] = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
  ["Accept-Encoding"] = "gzip, deflate, br, zstd",
  ["Accept-Language"] = "en-GB,en;q=0.9,de;q=0.8",
  ["Referer"] = "https://news.example.com/2026/11/story?id=7",
  ["Sec-Fetch-Dest"] = "document", ["Sec-Fetch-Mode"] = "navigate", ["Sec-Fetch-Site"] = "cross-site",
  ["Upgrade-Insecure-Requests"] = "1",
  ["User-Agent"] = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
}
local requests, at = {}, 0
init = function()
  for i, path in ipairs(paths) do requests[i] = wrk.format("GET", path, headers) end
  at = math.random(#requests)
end
request = function()
  at = at % #requests + 1
  return requests[at]
end
done = function(summary, latency)
  io.write(string.format("RESULT %d %f %f %f %d\\n", summary.requests, summary.requests / (summary.duration / 1e6), latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, summary.errors.status))
end
`;
  writeFileSync(file, lua);
  return file;
}

async function round({ url, pid }: Target, load: Case['load'], seconds: number): Promise<Round> {
  const connections = options.connections;
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', scripts[load], url];
  const cpuBefore = cpuSeconds(pid);
  const { stdout } = await promisify(execFile)('wrk', args);
  const [, requests, perSecond, p50, p99, errors] = /RESULT (\S+) (\S+) (\S+) (\S+) (\S+)/.exec(stdout) ?? [];
  if (perSecond === undefined) throw new Error(`wrk said: ${stdout}`);
  return {
    perSecond: Number(perSecond),
    cpuUs: ((cpuSeconds(pid) - cpuBefore) * 1e6) / Number(requests),
    p50: Number(p50).toFixed(1),
    p99: Number(p99).toFixed(1),
    errors: Number(errors),
  };
}

function report(before: string, after: string): void {
  const medians = cases.map(({ target, load, rounds }) => {
    const middle = median(rounds, ({ perSecond }) => perSecond);
    const { cpuUs } = median(rounds, (round) => round.cpuUs);
    const all = rounds.map(({ perSecond }) => Math.round(perSecond)).join(' ');
    console.log(
      `${target.name.padEnd(16)} ${load.padEnd(4)} ${String(Math.round(middle.perSecond)).padStart(7)}/s  p50 ${middle.p50} ms  p99 ${middle.p99} ms  CPU ${cpuUs.toFixed(1)} us   (${all})`,
    );
    const errors = rounds.reduce((sum, { errors }) => sum + errors, 0);
    if (errors > 0) console.log(`  ${errors} answers were errors`);
    return { perSecond: middle.perSecond, cpuUs };
  });
  const [bareHot, bareMany, hot, many] = medians;
  console.log(
    `times the bare server: hot ${(hot!.perSecond / bareHot!.perSecond).toFixed(2)}, ${slugs.length} slugs ${(many!.perSecond / bareMany!.perSecond).toFixed(2)}; by CPU ${(bareHot!.cpuUs / hot!.cpuUs).toFixed(2)} and ${(bareMany!.cpuUs / many!.cpuUs).toFixed(2)}`,
  );
  console.log(`memory: ${before} at the start, ${after} at the end`);
}

function median(rounds: readonly Round[], by: (round: Round) => number): Round {
  return rounds.toSorted((a, b) => by(a) - by(b))[Math.floor(rounds.length / 2)]!;
}

function cpuSeconds(pid: number | undefined): number {
  if (pid === undefined) return Number.NaN;
  // The fields follow the name in parentheses; user and system time are the 12th and 13th, in hundredths of a second.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function memoryMb(pid: number | undefined): string {
  if (pid === undefined) return 'not asked for (--pid)';
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return `${Math.round(Number(kb) / 1024)} MB`;
}
