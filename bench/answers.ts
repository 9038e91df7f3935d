/**
 * What each kind of answer to a visitor costs in the whole product: a redirect from memory, one that is looked up, pages
 * for links that are unknown or revoked. References, in the same minutes: a bare node:http server and nginx with a fixed
 * redirect. Needs `wrk` and `nginx`.
 *
 *   npm run bench -- answers [--rounds 5] [--seconds 3] [--peer NAME,URL[,PID]]...
 *
 * A peer is another link shortener that runs on this machine (`bench/peers/README.md`): the URL of one of its links, and
 * the process whose CPU counts, with its descendants.
 * Rounds rotate over all kinds; the figures are medians, and the goals by CPU, which is steadier than a rate.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fillLinks, withPostgres } from './lib/fill.ts';
import { type Flooded, flood } from './lib/flood.ts';
import { atMost, endOfGoals, exactly, figure } from './lib/goals.ts';
import { startNginx } from './lib/nginx.ts';
import { cpuMs, median, startProduct } from './lib/product.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    peer: { type: 'string', multiple: true, default: [] },
  },
});
const [ROUNDS, SECONDS] = [Number(values.rounds), Number(values.seconds)];
const CONNECTIONS = 32;
/** A round of look-ups does not come to its end. */
const LOOKED_UP = 20_000 * SECONDS;

const product = await startProduct();
const bare = spawn(process.execPath, [path.join(import.meta.dirname, 'lib/bare-server.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
process.once('exit', () => bare.kill('SIGKILL'));
const nginx = await startNginx();
try {
  const [port] = await once(bare.stdout, 'data');
  const { email } = product;
  await product.stop();
  await withPostgres(product.dataDir, async (db) => {
    await fillLinks(db, { email, prefix: 'link-', count: LOOKED_UP * (ROUNDS + 1) });
    await fillLinks(db, { email, prefix: 'revoked-', count: 1_000, status: 'revoked' });
  });
  await product.restart();

  const pid = product.pid;
  const { redirect } = product;
  let begun = 0;
  const kinds: readonly Kind[] = [
    {
      name: 'bare node:http',
      url: `http://127.0.0.1:${String(port).trim()}`,
      pid: bare.pid!,
      request: () => 'get("/")',
    },
    { name: 'nginx', url: `http://127.0.0.1:${nginx.port}`, pid: nginx.pid, request: () => 'get("/")' },
    ...values.peer.map(peer),
    { name: 'redirect, in memory', url: redirect, pid, request: () => 'get("/link-1")', most: 2 },
    {
      name: 'redirect, looked up',
      url: redirect,
      pid,
      request: () => `get("/link-" .. (${begun++ * LOOKED_UP + 2} + n))`,
      most: 25,
    },
    { name: 'unknown, one slug', url: redirect, pid, request: () => 'get("/not-there")', page: true, most: 6 },
    {
      name: 'unknown, ever another slug',
      url: redirect,
      pid,
      request: () => `get("/none-${begun}-" .. n)`,
      page: true,
      most: 25,
    },
    { name: 'revoked', url: redirect, pid, request: () => 'get("/revoked-" .. n % 1000 + 1)', page: true, most: 6 },
  ];
  const rounds = kinds.map((): Round[] => []);
  for (let i = 0; i <= ROUNDS; i++)
    for (const [k, kind] of kinds.entries()) {
      const before = cpuOf(kind);
      const seen = await flood({
        url: kind.url,
        connections: CONNECTIONS,
        seconds: SECONDS,
        request: kind.request(),
      });
      const cpuUs = ((cpuOf(kind) - before) * 1_000) / seen.answers;
      if (i > 0) rounds[k]!.push({ ...seen, cpuUs });
    }
  const bareUs = median(rounds[0]!.map(({ cpuUs }) => cpuUs));
  for (const [k, { name, most, page = false }] of kinds.entries()) {
    const each = rounds[k]!;
    const cpuUs = median(each.map((round) => round.cpuUs));
    figure(`${name}, rate`, median(each.map(({ perSecond }) => perSecond)), 'a second');
    figure(`${name}, p99`, median(each.map(({ p99 }) => p99)), 'ms');
    if (!Number.isNaN(cpuUs)) figure(`${name}, CPU`, cpuUs, 'us');
    if (most !== undefined) figure(`${name}, CPU as a multiple of the bare server`, cpuUs / bareUs, '', atMost(most));
    const wrong = each.reduce((sum, { errors, answers }) => sum + (page ? answers - errors : errors), 0);
    figure(`${name}, answers of another kind`, wrong, '', exactly(0));
  }
} finally {
  bare.kill();
  await nginx.stop();
  await product.remove();
}
endOfGoals();

function cpuOf({ pid }: Kind): number {
  return pid === undefined ? Number.NaN : cpuMs(pid);
}

/** From `NAME,URL[,PID]`. */
function peer(text: string): Kind {
  const [name = '', link = '', pid] = text.split(',');
  const { origin, pathname } = new URL(link);
  return { name, url: origin, pid: pid === undefined ? undefined : Number(pid), request: () => `get("${pathname}")` };
}

interface Kind {
  readonly name: string;
  readonly url: string;
  /** Undefined: its CPU is not known. */
  readonly pid: number | undefined;
  /** For the next round. */
  readonly request: () => string;
  /** A page with a status from 400 on. */
  readonly page?: boolean;
  /** Of the CPU of the bare server. */
  readonly most?: number;
}

interface Round extends Flooded {
  readonly cpuUs: number;
}
