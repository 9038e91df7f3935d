/**
 * An upgrade while everybody goes on, as deploy/upgrade.md says: the stack starts with the services of an earlier
 * revision, two of each that answers anybody; `prepare` of this one migrates its engines; then one process after the
 * other is replaced, while visitors visit and a client creates, lists and asks for analytics. No redirect and no request
 * may fail, and every click is counted once.
 *
 *   scripts/node.sh scripts/check-rolling-upgrade.ts [--from REVISION]
 *
 * The revision is by default the one before the newest migration of PostgreSQL. Needs what `npm run stack` needs, and
 * the history. Takes about two minutes.
 */
import { execFile, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { connectClickHouse } from '../libs/adapter-clickhouse/src/index.ts';
import { Stack } from '../libs/resilience/src/index.ts';
import { findProgram, startProgram } from './engines/engine.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MIGRATIONS = 'libs/adapter-postgres/src/migrations';
const LINKS = 50;
const VISITS_PER_SECOND = 100;

process.env.WAYPOST_TEST_TARGET = 'stack';
// Read at their import.
const { startTestWaypost, freePorts } = await import('../services/all-in-one/test/waypost-process.ts');
const { startLoad } = await import('../services/all-in-one/test/faults/stack/load.ts');

const { values } = parseArgs({ options: { from: { type: 'string' } } });
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const from = git(
  'rev-parse',
  values.from ?? `${git('log', '-1', '--diff-filter=A', '--format=%H', '--', MIGRATIONS)}~1`,
);
console.log(`from ${git('log', '-1', '--format=%h, %s', from)}\nto ${git('log', '-1', '--format=%h, %s')}`);

const stack = new Stack();
let problems: string[] = [];
try {
  problems = await upgrade();
} finally {
  await stack.unwind();
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log('No visit, no creation and no read failed, and every click is stored once.');
process.exit();

async function upgrade(): Promise<string[]> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-upgrade-'));
  stack.push(() => fs.rmSync(dir, { recursive: true, force: true }));
  const earlier = path.join(dir, 'earlier');
  git('worktree', 'add', '--detach', earlier, from);
  stack.push(() => void git('worktree', 'remove', '--force', earlier));
  execFileSync(process.execPath, ['scripts/install.mjs'], { cwd: earlier, stdio: ['ignore', 'pipe', 'pipe'] });

  const processes = ['analytics-ingest', 'scanner', 'redirector-1', 'redirector-2', 'link-api'] as const;
  const file = (name: string, ending: string) => path.join(dir, `${name}.${ending}`);
  for (const name of ['prepare', ...processes]) fs.writeFileSync(file(name, 'code'), earlier);
  const [scanner, scannerPort, secondScanner, secondApi, secondInternal, apiPort] = (await freePorts(6)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const settings = { FEEDS: 'none', DEEP_SCANS: 'off', CREATIONS_PER_HOUR: '1000000' };
  const waypost = await startTestWaypost({
    ...settings,
    INTERNAL_PORT: String(scanner),
    STACK_TEST_DIR: dir,
    STACK_TEST_LINKS: `scanner:${scanner}:${scannerPort}`,
  });
  stack.push(() => waypost.remove());
  const { access } = JSON.parse(fs.readFileSync(path.join(waypost.dataDir, 'stack.json'), 'utf8')) as {
    access: Record<string, Record<string, string>>;
  };
  const { PATH, HOME } = process.env;
  const common = {
    PATH,
    HOME,
    ...settings,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    BASE_URL: waypost.api.replace('127.0.0.1', 'localhost'),
    REDIRECT_BASE_URL: waypost.redirect.replace('127.0.0.1', 'localhost'),
  };

  // The second replica of what a client needs an answer from; the stack has two redirectors.
  const second = async (service: 'link-api' | 'scanner', code: string) =>
    startProgram({
      name: `second ${service}`,
      command: path.join(code, 'scripts/node.sh'),
      args: [path.join(code, `services/${service}/src/main.ts`)],
      env: {
        ...common,
        ...access[service],
        SCANNER_URL: `http://127.0.0.1:${scannerPort}`,
        ...(service === 'link-api'
          ? { PORT: String(secondApi), INTERNAL_PORT: String(secondInternal) }
          : { PORT: String(secondScanner), DATA_DIR: path.join(dir, 'threats') }),
        OPERATOR_SOCKET: path.join(dir, `${service}.sock`),
      },
      logFile: path.join(waypost.dataDir, `second-${service}.log`),
      isReady: async () =>
        (await fetch(`http://127.0.0.1:${service === 'link-api' ? secondApi : secondScanner}/readyz`)).ok,
      readyWithinMs: 60_000,
    });
  const seconds = { scanner: await second('scanner', earlier), 'link-api': await second('link-api', earlier) };
  const end = async ({ end, exited }: { end(): void; exited: Promise<void> }) => {
    end();
    await exited;
  };
  stack.push(async () => void (await Promise.all(Object.values(seconds).map(end))));
  const balancer = await balance(dir, {
    [scannerPort]: [scanner, secondScanner],
    [apiPort]: [Number(new URL(waypost.api).port), secondApi],
  });
  stack.push(() => end(balancer));

  const api = `http://127.0.0.1:${apiPort}`;
  const { key } = await waypost.newKey();
  const client = startClient(api, key);
  while (client.made.length < LINKS) await pause(50);
  const slugs = client.made.slice(0, LINKS);
  const load = startLoad(waypost.redirect, slugs, VISITS_PER_SECOND);
  await pause(3_000);

  const step = async (what: string, work: () => Promise<unknown>) => {
    const began = performance.now();
    const before = load.answered();
    await work();
    await pause(2_000);
    const wrong = [...Object.entries(load.others()), ...client.failures].map(
      ([failure, count]) => `${count} x ${failure}`,
    );
    console.log(
      `${what}: ${((performance.now() - began) / 1_000).toFixed(1)} s, ${load.answered() - before} visits, ${client.made.length} links; failed so far: ${wrong.join(', ') || 'none'}`,
    );
  };
  await step('prepare of this version', () =>
    promisify(execFile)(path.join(ROOT, 'scripts/node.sh'), [path.join(ROOT, 'services/prepare/src/main.ts')], {
      env: { ...common, ...access.prepare },
    }),
  );
  for (const name of processes) {
    await step(name, async () => {
      const pidFile = file(name, 'pid');
      const pid = fs.readFileSync(pidFile, 'utf8');
      fs.rmSync(file(name, 'code'));
      process.kill(Number(pid), 'SIGTERM');
      // The stack starts it again once it has ended, and tells its id once it is ready.
      while (fs.readFileSync(pidFile, 'utf8') === pid) await pause(50);
    });
    if (name === 'scanner' || name === 'link-api')
      await step(`second ${name}`, async () => {
        await end(seconds[name]);
        seconds[name] = await second(name, ROOT);
      });
  }
  await load.stop();
  await client.stop();

  const visits = load.answered();
  const problems = [
    ...Object.entries(load.others()).map(([what, count]) => `visits: ${count} x ${what}`),
    ...[...client.failures].map(([what, count]) => `${what}: ${count} times`),
  ];
  if (Object.keys(load.others()).length > 0)
    problems.push(
      ...fs
        .readFileSync(path.join(waypost.dataDir, 'haproxy.log'), 'utf8')
        .split('\n')
        .filter((line) => line.includes(' redirectors/')),
    );
  // What a client was told has its cause in a log.
  for (const id of new Set(problems.join().match(/[\da-f-]{36}/g)))
    problems.push(
      ...waypost
        .output()
        .split('\n')
        .filter((line) => line.includes(id)),
    );
  for (const slug of client.made.slice(LINKS)) {
    const { status } = await fetch(`${waypost.redirect}/${slug}`, { method: 'HEAD', redirect: 'manual' });
    if (status !== 302) problems.push(`the link ${slug} is answered ${status}`);
  }
  const { CLICKHOUSE_URL = '' } = access.prepare ?? {};
  const { username, password, origin } = new URL(CLICKHOUSE_URL);
  const clicks = connectClickHouse({ url: origin, username, password });
  stack.push(() => clicks.close());
  let stored = 0;
  for (const until = Date.now() + 60_000; stored < visits && Date.now() < until; await pause(500)) {
    const answer = await clicks.query({
      query: 'SELECT count() AS n FROM waypost.clicks FINAL',
      format: 'JSONEachRow',
    });
    stored = Number((await answer.json<{ n: string }>())[0]!.n);
  }
  console.log(`${visits} visits answered 302, ${stored} clicks stored, ${client.made.length} links created`);
  if (stored !== visits) problems.push(`${visits} visits, but ${stored} clicks`);
  return problems;
}

/** Creates, lists and asks for analytics, one after the other. */
function startClient(api: string, key: string) {
  const made: string[] = [];
  const failures = new Map<string, number>();
  const agent = new http.Agent({ keepAlive: true });
  let running = true;
  const ask = (method: string, where: string, body?: string) =>
    new Promise<{ status: number; text: string }>((resolve) => {
      const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
      const request = http.request(`${api}${where}`, { method, headers, agent }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.once('close', () => resolve({ status: response.complete ? response.statusCode! : 0, text }));
      });
      request.once('error', (error) => resolve({ status: 0, text: error.message }));
      request.end(body);
    });
  const expect = async (wanted: number, ...asked: Parameters<typeof ask>) => {
    const { status, text } = await ask(...asked);
    if (status === wanted) return text;
    const what = `${asked[0]} ${asked[1].replace(/\/links\/.*\//, '/links/:slug/')} answered ${status} ${text.slice(0, 200)}`;
    failures.set(what, (failures.get(what) ?? 0) + 1);
    return undefined;
  };
  const ended = (async () => {
    for (let n = 0; running; n++) {
      const text = await expect(201, 'POST', '/api/v1/links', '{"destination_url":"https://www.wikipedia.org/"}');
      if (text !== undefined) made.push(JSON.parse(text).link.slug);
      if (n % 5 === 0) await expect(200, 'GET', '/api/v1/links');
      if (n % 20 === 0 && made.length > 0) await expect(200, 'GET', `/api/v1/links/${made[0]}/analytics`);
      await pause(30);
    }
  })();
  return {
    made,
    failures,
    stop: async () => {
      running = false;
      await ended;
      agent.destroy();
    },
  };
}

/** For each port, HAProxy with these ports behind it: it asks another one when a connection is refused. */
async function balance(dir: string, ports: Readonly<Record<number, readonly number[]>>) {
  const haproxy = findProgram('haproxy');
  if (haproxy === undefined) throw new Error('this needs HAProxy: apt-get install haproxy');
  const listeners = Object.entries(ports).map(
    ([port, behind]) =>
      `listen at-${port}\n  bind 127.0.0.1:${port}\n${behind.map((one) => `  server s${one} 127.0.0.1:${one}\n`).join('')}`,
  );
  const config = path.join(dir, 'haproxy.cfg');
  fs.writeFileSync(
    config,
    `defaults
  mode http
  timeout connect 500ms
  timeout client 30s
  timeout server 10s
  timeout check 1s
  retries 3
  retry-on conn-failure
  option redispatch 1
  option http-server-close
  option httpchk GET /healthz
  default-server check inter 250ms fall 1 rise 1
${listeners.join('')}`,
  );
  const port = Object.keys(ports)[0];
  return startProgram({
    name: 'haproxy',
    command: haproxy,
    args: ['-db', '-f', config],
    logFile: path.join(dir, 'haproxy.log'),
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
    readyWithinMs: 20_000,
  });
}
