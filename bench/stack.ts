/**
 * The separate processes (`npm run stack`): a redirector with Redis behind it beside a bare node:http server, two
 * redirectors behind HAProxy, creation through the HTTP scanner, idle CPU of all services. Needs `wrk`, `redis-server`,
 * `haproxy`, Java and Maven.
 *
 *   npm run bench -- stack [--rounds 3] [--seconds 4]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { creationLoad, middleRound } from './lib/creations.ts';
import { atMost, below, endOfGoals, type Figure, figure } from './lib/goals.ts';
import { cpuMs, makeLinks, ownMiB, scratchFile, startProduct } from './lib/product.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    idle: { type: 'string', default: '20' },
  },
});
const SLUGS = 10_000;

if (process.env.WAYPOST_TEST_TARGET !== 'stack') {
  // The harness reads its target at import.
  const again = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', ...process.argv.slice(1)], {
    env: { ...process.env, WAYPOST_TEST_TARGET: 'stack' },
    stdio: 'inherit',
  });
  process.exit(again.status ?? 1);
}

const product = await startProduct();
try {
  const summary = JSON.parse(/^\{"api".*$/m.exec(product.output())![0]) as {
    redirectors: string[];
    services: { name: string; pid: number; url: string }[];
  };
  const services = summary.services.filter(({ name }) => name !== 'haproxy');

  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const seconds = Number(values.idle);
  const before = services.map(({ pid }) => cpuMs(pid));
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const shares = services.map(({ name, pid }, i) => ({
    name,
    percent: (cpuMs(pid) - before[i]!) / (seconds * 10),
    memory: ownMiB(pid),
  }));
  for (const { name, percent, memory } of shares)
    console.log(`idle ${name}: ${percent.toFixed(2)} % of a core, ${memory.toFixed(0)} MiB`);
  const idle = shares.reduce((sum, { percent }) => sum + percent, 0);
  figure('idle, all services', idle, '% of a core', below(5));

  const create = creationLoad(product);
  const createFor = (connections: number) => create(connections, Number(values.seconds));
  console.log('\ncreation through the HTTP scanner');
  for (let i = 0; i < 2; i += 1) createFor(8); // warm up
  for (const connections of [1, 4, 8]) {
    const rounds = Array.from({ length: Number(values.rounds) }, () => createFor(connections));
    const { perSecond, p50 } = middleRound(rounds);
    figure(`creation over ${connections} connections, p50`, p50, 'ms', connections <= 4 ? atMost(8) : undefined);
    figure(`creation over ${connections} connections`, perSecond, 'a second');
  }

  const file = scratchFile('slugs.txt', (await makeLinks(product.call, SLUGS)).join('\n'));
  const figuresFile = scratchFile('figures.json', '');
  const redirect = (name: string, url: string, pid: number) => {
    console.log(`\n${name}: hot slug in the micro-cache, ${SLUGS} slugs mostly from Redis`);
    const bench = fileURLToPath(new URL('./redirect.ts', import.meta.url));
    const options = [
      '--url',
      url,
      '--slugs',
      file,
      '--pid',
      String(pid),
      '--loads',
      'hot,many',
      '--rounds',
      values.rounds,
      '--seconds',
      values.seconds,
    ];
    const command = ['--disable-warning=ExperimentalWarning', bench, ...options];
    execFileSync(process.execPath, command, { env: { ...process.env, BENCH_FIGURES: figuresFile }, stdio: 'inherit' });
    const figures: Figure[] = JSON.parse(fs.readFileSync(figuresFile, 'utf8'));
    const rate = (load: string) => Number(figures.find(({ what }) => what === `${url}, ${load}, rate`)?.value);
    return { hot: rate('hot'), many: rate('many') };
  };
  const first = services.find(({ name }) => name === 'redirector-1')!;
  // On two cores ingest would distort the figures, so clicks go to Kafka meanwhile, and into ClickHouse afterwards.
  const hold = (name: string, signal: 'SIGSTOP' | 'SIGCONT') =>
    process.kill(services.find((one) => one.name === name)!.pid, signal);
  hold('analytics-ingest', 'SIGSTOP');
  try {
    redirect('one redirector, analytics-ingest held', first.url, first.pid);
    const two = redirect('two redirectors behind HAProxy', product.redirect, first.pid);
    hold('redirector-2', 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 4_000)); // until HAProxy has noticed
    const one = redirect('one redirector behind HAProxy', product.redirect, first.pid);
    figure('two redirectors against one behind HAProxy, hot slug', two.hot / one.hot);
    figure(`two redirectors against one behind HAProxy, ${SLUGS} slugs`, two.many / one.many);
  } finally {
    for (const name of ['redirector-2', 'analytics-ingest']) hold(name, 'SIGCONT');
  }
} finally {
  await product.remove();
  fs.rmSync(path.join(product.dataDir), { recursive: true, force: true });
}
endOfGoals();
