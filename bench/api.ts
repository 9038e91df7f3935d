/**
 * Measures the API with its largest users. It creates links one by one and in bulks of 300. It reads pages, searches
 * and facets of accounts with 10,000 and 100,000 links. It reads the analytics of links with up to two million clicks,
 * and of an account with ten million. Needs `wrk`.
 *
 *   npm run bench -- api [--only EXPRESSION] [--seconds 8] [--rounds 40] [--notes 10]
 *
 * Every link has a title of 38 characters, and every tenth, or what --notes says, a note of 197.
 *
 * The reference is a GET of one link in the same run, over as many connections. CPU is that of the process and its
 * PostgreSQL, and includes work after a creation. Other load changes CPU less than times.
 */
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedClickHouse, startEmbeddedPostgres } from '../libs/adapter-embedded/src/index.ts';
import { asAdministrator } from '../libs/postgres/src/index.ts';
import { apiClient } from '../services/all-in-one/test/waypost-process.ts';
import { flood } from './lib/flood.ts';
import { atLeast, atMost, figure } from './lib/goals.ts';
import { optionsOf } from './lib/options.ts';
import { cpuMs, makeLinks, median, quantile, runOn, startProduct } from './lib/product.ts';

const options = optionsOf({ only: '', seconds: '8', rounds: '40', notes: '10' });
const only = new RegExp(options.only);
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);
const CONNECTIONS = 8;
const SORTS = ['created_at', 'updated_at', 'slug', 'destination_url', 'status', 'title', 'ends_at'];
/** The number of clicks of each link in the last 90 days. */
const CLICKED = { hot: 2_000_000, warm: 100_000, cool: 1_000 };
/** The clicks of all other links of the account with 100,000 links. */
const OTHER_CLICKS = 7_900_000;
const CLICKS_AN_HOUR = 5_000;
const NINETY_DAYS = 7_776_000; // seconds
/** The number of inserts that the store has not merged. */
const PARTS = 4;

const product = await startProduct();
await runOn(product, async () => {
  if (only.test('creations')) await creations();
  if (only.test('bulks')) await bulks();
  const other = await product.newKey();
  await product.stop();
  await fillLinks(other.email, 10_000);
  await fillClicks(await fillLinks(product.email, 100_000));
  await product.restart();
  const accounts = { [other.key]: 10_000, [product.key]: 100_000 };
  for (const [key, links] of Object.entries(accounts)) {
    for (const [kind, where] of Object.entries(lists(links))) {
      const goal = links > 10_000 && !kind.startsWith('first') ? 100 : 25;
      await ask(key, `${links} links, ${kind}`, where, goal);
    }
  }
  // The product caches figures for three seconds, so no period may repeat within that time.
  const periods = ['90d', '90d&bots=exclude', '30d', '30d&bots=exclude', '7d', '7d&bots=exclude'];
  const overview = (n: number) => `/analytics?period=${periods[n % 6]}`;
  await ask(product.key, 'analytics of an account with 10,000,000 clicks', overview, 500, 1_000);
  const hundred = (n: number) =>
    Array.from({ length: 100 }, (_, i) => `of100000-${1 + ((n * 100 + i * 997) % 100_000)}`);
  const slugs = (n: number) => `/links/clicks?period=30d&slugs=${['of100000-hot', ...hundred(n).slice(1)].join()}`;
  await ask(product.key, 'clicks of 100 links', slugs, 100);
  await ask(product.key, 'links by clicks', () => '/links?sort=clicks&limit=100', 500);
  for (const [name, clicks] of Object.entries(CLICKED)) {
    const where = (n: number) => `/links/of100000-${name}/analytics?period=${periods[n % 6]}`;
    await ask(product.key, `analytics of ${clicks} clicks`, where, 500, 550);
  }
});

async function creations(): Promise<void> {
  const eight = await Promise.all(Array.from({ length: 8 }, async () => (await product.newKey()).key));
  const [slug] = await makeLinks(product.call, 1);
  const body = '{"destination_url":"https://www.wikipedia.org/wiki/Main_Page?from=bench"}';
  const create = `post("/api/v1/links", '${body}')`;
  const load = async (connections: number, keys: string[], request = create) => {
    const seen = await flood({ url: product.api, connections, seconds, keys, request });
    if (seen.errors + seen.broken > 0) throw new Error(`${seen.errors + seen.broken} requests failed`);
    return seen;
  };
  await load(CONNECTIONS, eight);
  const reference = await load(CONNECTIONS, [product.key], `get("/api/v1/links/${slug}")`);
  const before = cpuMs(product.pid);
  const one = await load(CONNECTIONS, [product.key]);
  await pause(1_500);
  const cpu = (cpuMs(product.pid) - before) / one.answers;
  figure(`creations over ${CONNECTIONS} connections`, one.perSecond, 'a second', atLeast(700));
  figure('creations, CPU', cpu * 1_000, 'us');
  figure('creations of eight accounts', (await load(CONNECTIONS, eight)).perSecond, 'a second');
  figure('creations over one connection, p50', (await load(1, [product.key])).p50, 'ms', atMost(3));
  figure('reference: one link by its slug', reference.perSecond, 'a second');
  figure('creations, ratio to the reference', one.perSecond / reference.perSecond);
}

async function bulks(): Promise<void> {
  const took: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const began = performance.now();
    await makeLinks(product.call, 300);
    if (i >= 5) took.push(performance.now() - began);
  }
  figure('bulks of 300, p50', median(took), 'ms', atMost(40));
  figure('bulks of 300, p95', quantile(took, 0.95), 'ms');
}

/** `n` is the number of the round. It makes each search text new. */
function lists(links: number): Readonly<Record<string, (n: number) => string>> {
  const far = links / 200;
  const pages = SORTS.flatMap((sort) =>
    ['asc', 'desc'].flatMap((order) =>
      [1, far].map((page): [string, () => string] => [
        `${page === 1 ? 'first' : 'far'} page by ${sort} ${order}`,
        () => `/links?sort=${sort}&order=${order}&limit=100&page=${page}`,
      ]),
    ),
  );
  return {
    'reference: one link': (n) => `/links/of${links}-${1 + ((n * 7919) % links)}`,
    ...Object.fromEntries(pages),
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
    'search: in all, by destination, far page': () =>
      `/links?search=campaign&sort=destination_url&limit=100&page=${far}`,
    'search: of one letter': (n) => `/links?search=${'aeimprst'[n % 8]}`,
    'search: in none': (n) => `/links?search=nowhere${n}`,
  };
}

async function ask(key: string, kind: string, where: (n: number) => string, goal: number, everyMs = 0) {
  if (!only.test(kind)) return;
  const call = apiClient(product.api, key);
  const took: number[] = [];
  for (let n = -3; n < rounds; n++) {
    const began = performance.now();
    const { status } = await call('GET', `/api/v1${where(Math.abs(n))}`);
    if (status !== 200) throw new Error(`${where(n)} was answered ${status}`);
    const ms = performance.now() - began;
    if (n >= 0) took.push(ms);
    await pause(Math.max(0, everyMs - ms));
  }
  figure(`${kind}, p95`, quantile(took, 0.95), 'ms', atMost(goal));
  console.log(`  p50 ${median(took).toFixed(1)} ms`);
}

/**
 * Fills PostgreSQL directly, so the product must be stopped. The slugs are `ofCOUNT-1` and so on, one second apart, and
 * those of CLICKED.
 */
async function fillLinks(email: string, count: number): Promise<string> {
  const engine = await startEmbeddedPostgres(path.join(product.dataDir, 'postgres'), console.error);
  const account = await asAdministrator({ host: engine.host, user: engine.user }, 'waypost', async (db) => {
    await db.query(
      `INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, revoked_at, scanned_at, scan_generation, version, title, note)
      SELECT 'of' || $2 || '-' || name, (SELECT id FROM accounts WHERE email = $1),
        'https://www.site' || n % 400 || '.example.org/a/page/of/usual/length/' || n || '?campaign=autumn', status,
        ARRAY['common', 'tag-' || n % 100], made, made, CASE WHEN status = 'revoked' THEN now() END, made, '1', 1,
        'Title ' || md5(n::text), CASE WHEN n % $5 = 0 THEN 'Note ' || repeat(md5(name), 6) END
      FROM (SELECT n, coalesce(($3::text[])[n - $2], n::text) AS name FROM generate_series(1, $2::int + $4) n) named,
        LATERAL (SELECT now() - n * interval '1 second' AS made,
          CASE WHEN n % 50 = 0 THEN 'revoked' WHEN n % 51 = 0 THEN 'flagged' ELSE 'active' END AS status) t`,
      [email, count, Object.keys(CLICKED), Object.keys(CLICKED).length, Number(options.notes)],
    );
    await db.query('VACUUM ANALYZE');
    const { rows } = await db.query<{ id: string }>('SELECT id FROM accounts WHERE email = $1', [email]);
    return rows[0]!.id;
  });
  await engine.stop();
  return account;
}

async function fillClicks(account: string): Promise<void> {
  const engine = await startEmbeddedClickHouse(path.join(product.dataDir, 'clickhouse'));
  const insert = (slug: string, clicks: number, withinSeconds = NINETY_DAYS) =>
    engine.client.command({
      query: `INSERT INTO waypost.clicks (account_id, event_id, slug, clicked_at, visitor_hash, country, referrer, device, browser, is_bot)
        SELECT '${account}', generateUUIDv4(), ${slug}, now64(3) - INTERVAL rand(1) % ${withinSeconds} SECOND, cityHash64(${slug}, rand(2) % 500000),
          ['US', 'DE', 'GB', 'FR', 'ZZ'][1 + rand(3) % 5], concat('www.site', toString(rand(4) % 300), '.example'),
          1 + rand(5) % 3, ['Chrome', 'Safari', 'Firefox'][1 + rand(6) % 3], rand(7) % 10 = 0
        FROM numbers(${clicks})`,
    });
  // Most clicks of an account are on few of its links.
  const others = "concat('of100000-', toString(1 + toUInt32(100000 * pow(rand(8) / 4294967296., 2))))";
  await insert(others, OTHER_CLICKS);
  for (const [name, clicks] of Object.entries(CLICKED)) await insert(`'of100000-${name}'`, clicks);
  // The store merges older clicks, while those of the last hour are in several parts.
  await engine.client.command({ query: 'OPTIMIZE TABLE waypost.clicks FINAL' });
  for (let part = 0; part < PARTS; part++) await insert(others, CLICKS_AN_HOUR / PARTS, 3_600);
  await engine.stop();
}
