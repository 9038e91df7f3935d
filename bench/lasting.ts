/**
 * A load that lasts, with redirects and what follows them in balance: how many clicks a second the one process takes
 * from the visitor to ClickHouse while nothing piles up. Needs `wrk`.
 *
 *   npm run bench -- lasting [--minutes 10] [--rate 49000] [--connections 256] [--every 30]
 *
 * `--rate` is a ceiling: each connection pauses between its requests, as if answers took no time. Goals: at least 35,000
 * clicks a second on two cores with the load generator beside them, p99 within 10 ms, a click log that does not grow, each
 * click stored once.
 */
import { parseArgs } from 'node:util';
import { fillLinks, withPostgres } from './lib/fill.ts';
import { type Flooded, flood } from './lib/flood.ts';
import { atLeast, atMost, exactly, figure } from './lib/goals.ts';
import { cpuMs, median, runOn, startProduct } from './lib/product.ts';
import { metricsOf, storedClicks, untilEmpty } from './lib/queues.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '49000' },
    connections: { type: 'string', default: '256' },
    /** Seconds between two lines. */
    every: { type: 'string', default: '30' },
  },
});
const SECONDS = Number(values.every);
const ROUNDS = Math.max(2, Math.round((Number(values.minutes) * 60) / SECONDS));
const LINKS = 10_000;

interface Round extends Flooded {
  /** CPU of the product and its engines, per visit. */
  readonly cpuUs: number;
  readonly unsentMiB: number;
}

const product = await startProduct();
await runOn(product, async () => {
  const { email } = product;
  await product.stop();
  await withPostgres(product.dataDir, (db) => fillLinks(db, { email, prefix: 'link-', count: LINKS }));
  await product.restart();

  const rounds: Round[] = [];
  const warmUp = await load(5);
  for (let i = 0; i < ROUNDS; i++) {
    const before = cpuMs(product.pid);
    const seen = await load(SECONDS);
    const cpuUs = ((cpuMs(product.pid) - before) * 1_000) / seen.answers;
    const metric = await metricsOf(product.internal);
    const unsentMiB = metric('waypost_click_log_unsent_bytes') / 2 ** 20;
    rounds.push({ ...seen, cpuUs, unsentMiB });
    console.log(
      `${(((i + 1) * SECONDS) / 60).toFixed(1)} min: ${seen.perSecond.toFixed(0)} a second, p50 ${seen.p50.toFixed(1)}, p99 ${seen.p99.toFixed(1)} ms, CPU ${cpuUs.toFixed(1)} us a visit, unsent ${unsentMiB.toFixed(1)} MiB`,
    );
  }
  figure('clicks, least of all rounds', Math.min(...rounds.map(({ perSecond }) => perSecond)), 'a second');
  figure('clicks', median(rounds.map(({ perSecond }) => perSecond)), 'a second', atLeast(35_000));
  figure('p99', median(rounds.map(({ p99 }) => p99)), 'ms', atMost(10));
  figure('CPU of a visit, with all that follows it', median(rounds.map(({ cpuUs }) => cpuUs)), 'us');
  // A log in balance is short after any round; one that grows is longer in the second half.
  const unsent = rounds.map(({ unsentMiB }) => unsentMiB);
  const growth = median(unsent.slice(ROUNDS / 2)) - median(unsent.slice(0, ROUNDS / 2));
  figure('click log, growth from the first half to the second', growth, 'MiB', atMost(5));
  const ended = performance.now();
  const waiting = await untilEmpty(product.internal, 120_000);
  figure('last click stored after', (performance.now() - ended) / 1_000, 's', atMost(10));
  figure('clicks that still wait', waiting, '', exactly(0));
  await product.stop();
  const stored = await storedClicks(product.dataDir);
  const answered = [warmUp, ...rounds].reduce((sum, { answers, errors }) => sum + answers - errors, 0);
  figure('visits answered', answered);
  // The last request of each connection may be answered when wrk has gone.
  const cutOff = (ROUNDS + 1) * Number(values.connections);
  figure('visits whose click is lost', Math.max(0, answered - stored), '', exactly(0));
  figure('clicks of no visit', Math.max(0, stored - answered - cutOff), '', exactly(0));
});

function load(seconds: number): Promise<Flooded> {
  return flood({
    url: product.redirect,
    connections: Number(values.connections),
    most: Number(values.rate),
    seconds,
    request: `get("/link-" .. (n * 7919 % ${LINKS} + 1))`,
  });
}
