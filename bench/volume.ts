/**
 * A hundred million clicks and a million links in the stores, made by the engines: what analytics take by the size of a
 * link, and whether creations and redirects take more than in a smaller product, in the same minutes.
 *
 *   npm run bench -- volume [--clicks 100000000] [--links 1000000] [--asks 30] [--rounds 5] [--seconds 4]
 *
 * Takes about 5 GB of the temporary folder. Goals: 90 days of a link of up to a million clicks within 250 ms, of ten
 * million within 1,000 ms (p95); no more than 1.15 times the CPU for a creation and a redirect. Needs `wrk`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FIGURES_KEPT } from '../services/link-api/src/use-cases/get-analytics.ts';
import { CLICK_COLUMNS, clickOf, fillLinks, withClickHouse, withPostgres } from './lib/fill.ts';
import { flood } from './lib/flood.ts';
import { atMost, endOfGoals, figure } from './lib/goals.ts';
import { cpuMs, median, quantile, startProduct } from './lib/product.ts';

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '100000000' },
    links: { type: 'string', default: '1000000' },
    /** Questions for analytics of each size of links. */
    asks: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
  },
});
const [CLICKS, LINKS] = [Number(values.clicks), Number(values.links)];
const [ASKS, ROUNDS, SECONDS] = [Number(values.asks), Number(values.rounds), Number(values.seconds)];
/** The other product has a hundredth of the clicks, and a fifth of the links: enough to look up in all rounds. */
const SMALLER = 100;
const SMALLER_IN_LINKS = 5;
const CHUNK = 5_000_000;
/** Links of a size, the share of all clicks that they have, and what their analytics may take. */
const SIZES = [
  { clicks: 10_000_000, share: 0.2, goalMs: 1_000 },
  { clicks: 1_000_000, share: 0.2, goalMs: 250 },
  { clicks: 10_000, share: 0.2, goalMs: 250 },
  { clicks: 100, share: 0.4, goalMs: 250 },
] as const;
const prefixOf = (size: number) => `with-${size}-clicks-`;
const countOf = ({ clicks, share }: (typeof SIZES)[number], all: number) =>
  Math.max(1, Math.round((all * share) / clicks));

type Product = Awaited<ReturnType<typeof startProduct>>;

const small = await startProduct();
const large = await startProduct();
try {
  await fill(small, CLICKS / SMALLER, LINKS / SMALLER_IN_LINKS);
  await fill(large, CLICKS, LINKS);
  await analytics(large);
  await compare('CPU of a creation', (product) => ({
    url: product.api,
    keys: [product.key],
    request: `post("/api/v1/links", '{"destination_url":"https://www.wikipedia.org/wiki/Main_Page"}')`,
  }));
  await compare('CPU of a redirect, hot', (product) => ({
    url: product.redirect,
    request: `get("/${prefixOf(SIZES[0].clicks)}1")`,
  }));
  // Each link is visited once in all, and looked up in the database.
  const from = new Map<Product, number>();
  await compare('CPU of a redirect, looked up', (product) => {
    const round = from.get(product) ?? 0;
    from.set(product, round + 1);
    return {
      url: product.redirect,
      request: `get("/other-" .. (n + 1 + ${round * Math.floor(LINKS / SMALLER_IN_LINKS / (ROUNDS + 1))}))`,
    };
  });
} finally {
  await small.remove();
  await large.remove();
}
endOfGoals();

async function fill(product: Product, clicks: number, links: number): Promise<void> {
  const began = performance.now();
  await product.stop();
  const { email } = product;
  await withPostgres(product.dataDir, async (db) => {
    for (const size of SIZES)
      await fillLinks(db, { email, prefix: prefixOf(size.clicks), count: Math.min(countOf(size, clicks), links) });
    await fillLinks(db, { email, prefix: 'other-', count: links });
  });
  let slug = "''";
  let below = 0;
  for (const size of SIZES.toReversed()) {
    const mine = `concat('${prefixOf(size.clicks)}', toString(1 + cityHash64(number, 9) % ${countOf(size, clicks)}))`;
    slug = size === SIZES.at(-1) ? mine : `if(number % 10 >= ${Math.round(below * 10)}, ${mine}, ${slug})`;
    below += size.share;
  }
  await withClickHouse(product.dataDir, async (client) => {
    for (let from = 0; from < clicks; from += CHUNK)
      await client.command({
        query: `INSERT INTO waypost.clicks ${CLICK_COLUMNS} SELECT ${clickOf(slug, clicks)}
          FROM numbers(${from}, ${Math.min(CHUNK, clicks - from)})`,
      });
  });
  await product.restart();
  figure(`${clicks} clicks and ${links} links made in`, (performance.now() - began) / 1_000, 's');
}

async function analytics(product: Product): Promise<void> {
  for (const size of SIZES) {
    const links = Math.min(ASKS, countOf(size, CLICKS));
    const took: number[] = [];
    let most = 0;
    for (let i = 0; i < ASKS; i++) {
      // An answer is kept for some seconds, so links are asked in turn.
      if (i > 0 && i % links === 0) await sleep(FIGURES_KEPT.keepMs);
      const began = performance.now();
      const { status, body } = await product.call(
        'GET',
        `/api/v1/links/${prefixOf(size.clicks)}${1 + (i % links)}/analytics?period=90d`,
      );
      if (status !== 200) throw new Error(`analytics were answered ${status}: ${JSON.stringify(body)}`);
      took.push(performance.now() - began);
      most = Math.max(most, body.total_clicks);
    }
    const what = `analytics of 90 days, links of ${size.clicks} clicks or all there are (${most})`;
    figure(`${what}, p50`, median(took), 'ms');
    figure(`${what}, p95`, quantile(took, 0.95), 'ms', atMost(size.goalMs));
  }
}

async function compare(
  what: string,
  of: (product: Product) => { url: string; request: string; keys?: readonly string[] },
): Promise<void> {
  const [ofSmall, ofLarge]: [number[], number[]] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [product, taken] of [
      [small, ofSmall],
      [large, ofLarge],
    ] as const) {
      const before = cpuMs(product.pid);
      const { answers, errors } = await flood({ ...of(product), connections: 8, seconds: SECONDS });
      // Of the redirects to look up, some come after the last link.
      if (errors > 0 && what !== 'CPU of a redirect, looked up') throw new Error(`${errors} of ${answers} failed`);
      if (round > 0) taken.push(((cpuMs(product.pid) - before) * 1_000) / answers);
    }
  }
  figure(`${what}, ${CLICKS / SMALLER} clicks`, median(ofSmall), 'us');
  figure(`${what}, ${CLICKS} clicks`, median(ofLarge), 'us');
  figure(`${what}, ratio`, median(ofLarge) / median(ofSmall), '', atMost(1.15));
}
