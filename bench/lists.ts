/**
 * Lists of the links of two accounts, of 10,000 and of 100,000 links, through the public port, and their facets. The
 * reference, in the same run: GET of one of the links, which is a look-up by key.
 *
 *   npm run bench -- lists [--rounds 40] [--only EXPRESSION]
 *
 * Goals, p95: the first page of a sort 25 ms, everything else 100 ms; with 10,000 links, 25 ms. Exits with 1 if one was missed.
 */
import { parseArgs } from 'node:util';
import { apiClient } from '../services/all-in-one/test/waypost-process.ts';
import { fillLinks, withPostgres } from './lib/fill.ts';
import { atMost, figure } from './lib/goals.ts';
import { median, quantile, runOn, startProduct } from './lib/product.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, only: { type: 'string', default: '' } },
});
const [rounds, only] = [Number(values.rounds), new RegExp(values.only)];
const SORTS = ['created_at', 'updated_at', 'slug', 'destination_url', 'status'];

/** `n` counts the rounds, for a text that was not searched for before. */
const questions = (links: number, far: number): Readonly<Record<string, (n: number) => string>> => ({
  'reference: one link': (n) => `/links/of${links}-${1 + ((n * 7919) % links)}`,
  ...Object.fromEntries(
    SORTS.flatMap((sort) =>
      ['asc', 'desc'].flatMap((order) =>
        [1, far].map((page) => [
          `${page === 1 ? 'first' : 'far'} page by ${sort} ${order}`,
          () => `/links?sort=${sort}&order=${order}&limit=100&page=${page}`,
        ]),
      ),
    ),
  ),
  'last page': () => `/links?limit=100&page=${links / 100}`,
  facets: () => '/facets',
  'status flagged': () => '/links?status=flagged',
  'status active, far page': () => `/links?status=active&limit=100&page=${far}`,
  'a tag of all, far page': () => `/links?tag=common&limit=100&page=${far}`,
  'a tag of one in a hundred': (n) => `/links?tag=tag-${n % 100}`,
  'two tags by destination': (n) => `/links?tag=common&tag=tag-${n % 100}&sort=destination_url`,
  'search: in one link': (n) => `/links?search=length%2F${1 + ((n * 7919) % links)}%3F`,
  'search: in one of 400': (n) => `/links?search=site${100 + n}.example`,
  'search: in all, far page': () => `/links?search=EXAMPLE.ORG&limit=100&page=${far}`,
  'search: in all, by destination, far page': () => `/links?search=campaign&sort=destination_url&limit=100&page=${far}`,
  'search: of one letter': (n) => `/links?search=${'aeimprst'[n % 8]}`,
  'search: in none': (n) => `/links?search=nowhere${n}`,
});

const product = await startProduct();
await runOn(product, async () => {
  const other = await product.newKey();
  await product.stop();
  const accounts = [
    { links: 10_000, ...other },
    { links: 100_000, email: product.email, key: product.key },
  ];
  await withPostgres(product.dataDir, async (db) => {
    for (const { links: count, email } of accounts)
      await fillLinks(db, { email, prefix: `of${count}-`, count, status: 'mixed', common: 1 });
  });
  await product.restart();
  for (const { links, key } of accounts)
    for (const [kind, question] of Object.entries(questions(links, links / 200)))
      if (only.test(kind)) await ask(apiClient(product.api, key), links, kind, question);
});

async function ask(
  call: ReturnType<typeof apiClient>,
  links: number,
  kind: string,
  question: (n: number) => string,
): Promise<void> {
  const took: number[] = [];
  for (let n = -3; n < rounds; n++) {
    const began = performance.now();
    const { status } = await call('GET', `/api/v1${question(Math.abs(n))}`);
    if (status !== 200) throw new Error(`${question(n)} was answered ${status}`);
    if (n >= 0) took.push(performance.now() - began);
  }
  const goal = links > 10_000 && !kind.startsWith('first') ? 100 : 25;
  figure(`${links} links, ${kind}, p95`, quantile(took, 0.95), 'ms', atMost(goal));
  console.log(`  p50 ${median(took).toFixed(1)} ms`);
}
