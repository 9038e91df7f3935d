/**
 * The separate processes (`npm run stack`): a redirector with Redis behind it beside a bare node:http server, two
 * redirectors behind HAProxy, creation through the HTTP scanner, idle CPU of all services. Needs `wrk`, `redis-server`,
 * `haproxy`, Java and Maven.
 *
 *   node bench/stack.ts [--rounds 3] [--seconds 4]
 */
import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { creationLoad, middleRound } from './lib/creations.ts';
import { cpuSeconds, rssMiB, scratchFile, startProduct } from './lib/product.ts';

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
  const before = services.map(({ pid }) => cpuSeconds(pid));
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const shares = services.map(({ name, pid }, i) => ({
    name,
    share: (cpuSeconds(pid) - before[i]!) / seconds,
    rss: rssMiB(pid),
  }));
  for (const { name, share, rss } of shares)
    console.log(`idle ${name}: ${(share * 100).toFixed(2)} % of a core, ${rss.toFixed(0)} MiB`);
  console.log(
    `idle, all services: ${(shares.reduce((sum, { share }) => sum + share, 0) * 100).toFixed(2)} % (goal: < 5 %)`,
  );

  const create = creationLoad(product);
  const createFor = (connections: number) => create(connections, Number(values.seconds));
  console.log('\ncreation through the HTTP scanner (goal: p50 <= 8 ms)');
  for (let i = 0; i < 2; i += 1) createFor(8); // warm up
  for (const connections of [1, 4, 8]) {
    const rounds = Array.from({ length: Number(values.rounds) }, () => createFor(connections));
    const { perSecond, p50 } = middleRound(rounds);
    console.log(`  ${connections} connections: p50 ${p50.toFixed(2)} ms, ${perSecond.toFixed(0)}/s`);
  }

  const slugs: string[] = [];
  while (slugs.length < SLUGS) {
    const links = Array.from({ length: 500 }, (_, i) => ({
      destination_url: `https://www.wikipedia.org/wiki/${slugs.length + i}`,
    }));
    const { status, body } = await product.call('POST', '/api/v1/links/bulk', { links });
    if (status !== 201) throw new Error(JSON.stringify(body));
    slugs.push(...body.links.map(({ link }: { link: { slug: string } }) => link.slug));
  }
  const file = scratchFile('slugs.txt', slugs.join('\n'));
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
      '--rounds',
      values.rounds,
      '--seconds',
      values.seconds,
    ];
    const command = ['--disable-warning=ExperimentalWarning', bench, ...options];
    const output = execFileSync(process.execPath, command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    console.log(output.trimEnd());
    const [hot, many] = ['hot', 'many'].map((load) => new RegExp(`^http\\S+ ${load} +(\\d+)/s`, 'm').exec(output)![1]);
    return { hot: Number(hot), many: Number(many) };
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
    console.log(
      `two redirectors against one, behind HAProxy: hot ${(two.hot / one.hot).toFixed(2)}, ${SLUGS} slugs ${(two.many / one.many).toFixed(2)}`,
    );
  } finally {
    for (const name of ['redirector-2', 'analytics-ingest']) hold(name, 'SIGCONT');
  }
} finally {
  await product.remove();
  fs.rmSync(path.join(product.dataDir), { recursive: true, force: true });
}
