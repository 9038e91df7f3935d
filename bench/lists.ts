/**
 * Pages of the links of one account that has many, through the public port, and its facets. The reference, in the same
 * run: GET of one of the links, which is a look-up by key.
 *
 *   npm run bench -- lists [--links 100000] [--rounds 40] [--only EXPRESSION]
 *
 * Goals: each kind p95 <= 25 ms with 100,000 links, and <= 50 ms with 1,000,000. Exits with 1 if one was missed.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fillLinks, withPostgres } from './lib/fill.ts';
import { atMost, figure } from './lib/goals.ts';
import { cpuMs, median, quantile, runOn, startProduct } from './lib/product.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
  },
});
const [links, rounds, only] = [Number(values.links), Number(values.rounds), new RegExp(values.only)];
const GOAL_MS = links > 100_000 ? 50 : 25;
const SORTS = ['created_at', 'updated_at', 'slug', 'destination_url', 'status'];

/** `n` counts the rounds, for a text that was not searched for before. */
const QUESTIONS: Readonly<Record<string, (n: number) => string>> = {
  'reference: one link': (n) => `/links/many${1 + ((n * 7919) % links)}`,
  facets: () => '/facets',
  ...Object.fromEntries(
    SORTS.flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) =>
        [1, 500].map((page) => [
          `by ${sort} ${order}, page ${page}`,
          () => `/links?sort=${sort}&order=${order}&limit=100&page=${page}`,
        ]),
      ),
    ),
  ),
  'the last page': () => `/links?limit=100&page=${Math.ceil(links / 100)}`,
  'past the last page': () => '/links?page=999999999999999',
  ...Object.fromEntries(
    ['active', 'flagged', 'revoked'].map((status) => [
      `status ${status}`,
      (n: number) => `/links?status=${status}&page=${1 + (n % 10)}`,
    ]),
  ),
  'status active, page 500': () => '/links?status=active&limit=100&page=500',
  'status active by destination, page 500': () => '/links?status=active&sort=destination_url&limit=100&page=500',
  'a tag of all': () => '/links?tag=common',
  'a tag of all, page 500': () => '/links?tag=common&limit=100&page=500',
  'a tag of one in a hundred': (n) => `/links?tag=tag-${n % 100}`,
  'a tag of one in a hundred by destination': (n) => `/links?tag=tag-${n % 100}&sort=destination_url`,
  'two tags': (n) => `/links?tag=common&tag=tag-${n % 100}`,
  'search: in one link': (n) => `/links?search=length%2F${1 + ((n * 7919) % links)}%3F`,
  'search: in a few': (n) => `/links?search=length%2F${links / 100 + n}`,
  'search: one host of 400': (n) => `/links?search=site${100 + n}.example`,
  'search: in a tenth': (n) => `/links?search=site${1 + (n % 3)}`,
  'search: in all': () => '/links?search=EXAMPLE.ORG',
  'search: in all, page 500': () => '/links?search=EXAMPLE.ORG&limit=100&page=500',
  'search: in all, by destination, page 500': () => '/links?search=campaign&sort=destination_url&limit=100&page=500',
  'search: in all that are active': () => '/links?search=EXAMPLE.ORG&status=active',
  'search: of one letter': (n) => `/links?search=${'aeimprst'[n % 8]}&limit=100&page=150`,
  'search: in none': (n) => `/links?search=nowhere${n}`,
};

const product = await startProduct();
await runOn(product, async () => {
  await product.stop();
  const { email } = product;
  await withPostgres(product.dataDir, (db) =>
    fillLinks(db, { email, prefix: 'many', count: links, status: 'mixed', common: 1 }),
  );
  await product.restart();
  await untilIdle();
  for (const [name, question] of Object.entries(QUESTIONS).filter(([kind]) => only.test(kind)))
    await ask(name, question);
});

/** New links are packed for searches: of a million in some seconds. */
async function untilIdle(): Promise<void> {
  for (let look = 0; look < 60; look++) {
    const before = cpuMs(product.pid);
    await pause(3_000);
    if (cpuMs(product.pid) - before <= 300) return;
  }
  throw new Error('Waypost is still busy after three minutes');
}

async function ask(name: string, question: (n: number) => string): Promise<void> {
  const took: number[] = [];
  let [cpuBefore, total] = [0, 0];
  for (let n = -3; n < rounds; n++) {
    if (n === 0) cpuBefore = cpuMs(product.pid);
    const began = performance.now();
    const { status, body } = await product.call('GET', `/api/v1${question(Math.abs(n))}`);
    if (status !== 200) throw new Error(`${question(n)} was answered ${status}`);
    if (n >= 0) took.push(performance.now() - began);
    total = body.total;
  }
  const cpu = (cpuMs(product.pid) - cpuBefore) / rounds;
  figure(`${name} (of ${total ?? 1}), p95`, quantile(took, 0.95), 'ms', atMost(GOAL_MS));
  console.log(`  p50 ${median(took).toFixed(1)} ms, CPU ${cpu.toFixed(1)} ms`);
}
