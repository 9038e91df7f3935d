/**
 * The dashboard with much in it: 10,000 links in an account, a million clicks on one of them; with `--million`, a
 * million links in another account, too. At the server through the public port, and in Chromium.
 *
 *   npm run bench -- dashboard [--links 10000] [--clicks 1000000] [--rounds 60] [--million]
 *
 * Goals: list, search, tag filter and sort each p95 <= 25 ms; an interaction is painted within 100 ms; the first figures
 * of the link with a million clicks stand within a second.
 */
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startBrowser } from '../services/all-in-one/test/chromium.ts';
import { apiClient, startTestWaypost } from '../services/all-in-one/test/waypost-process.ts';
import { FIGURES_KEPT } from '../services/link-api/src/use-cases/get-analytics.ts';
import { fillClicks, fillLinks, withClickHouse, withPostgres } from './lib/fill.ts';
import { atMost, below, endOfGoals, figure } from './lib/goals.ts';
import { cpuMs, makeLinks, median, quantile } from './lib/product.ts';

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '10000' },
    clicks: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '60' },
    million: { type: 'boolean', default: false },
  },
});
const [links, clicks, rounds] = [Number(values.links), Number(values.clicks), Number(values.rounds)];
const HOT = 'a-million-clicks';

const COUNTED = { list: '/links?limit=25', 'counts and tags': '/facets' };
const QUESTIONS = {
  ...COUNTED,
  'last page': `/links?limit=100&page=${Math.ceil(links / 100)}`,
  'search, in few': '/links?search=length%2F99',
  'search, in all': '/links?search=EXAMPLE.ORG',
  'search, in none': '/links?search=nowhere-at-all',
  'tag filter, half of them': '/links?tag=common',
  'tag filter, a few': '/links?tag=tag-14',
  'status filter': '/links?status=flagged',
  ...Object.fromEntries(
    ['created_at', 'updated_at', 'slug', 'destination_url', 'status'].map((by) => [
      `sort by ${by}`,
      `/links?sort=${by}&order=asc&limit=100`,
    ]),
  ),
};

execFileSync(process.execPath, [fileURLToPath(new URL('../services/dashboard/build.mjs', import.meta.url))]);
const waypost = await startTestWaypost();
const browser = await startBrowser();
try {
  const email = 'many@example.org';
  const { key } = await waypost.newKey('read,write', { email });
  const call = apiClient(waypost.api, key);
  // Every seventh has one of a hundred rarer tags, and half of them the same one.
  await makeLinks(call, links, (n) => ({
    destination_url: `https://www.site${n % 400}.example.org/a/page/of/usual/length/${n}?campaign=autumn`,
    tags: [...(n % 2 === 0 ? ['common'] : []), ...(n % 7 === 0 ? [`tag-${n % 100}`] : [])],
    ...(n === 0 && { custom_slug: HOT }),
  }));
  const other = await waypost.newKey('read,write', { email: 'million@example.org' });
  await fillEngines();
  await atTheServer(`${links} links`, call, QUESTIONS);
  if (values.million) await atTheServer('a million links', apiClient(waypost.api, other.key), COUNTED);
  await figures(call);
  await inTheBrowser(email);
} finally {
  await browser.close();
  await waypost.remove();
}
endOfGoals();

type Call = ReturnType<typeof apiClient>;

async function fillEngines(): Promise<void> {
  await waypost.stop();
  await withClickHouse(waypost.dataDir, (client) => fillClicks(client, HOT, clicks));
  if (values.million)
    await withPostgres(waypost.dataDir, (db) =>
      fillLinks(db, { email: 'million@example.org', prefix: 'm', count: 1_000_000, status: 'mixed' }),
    );
  await waypost.restart();
}

async function atTheServer(what: string, call: Call, questions: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, question] of Object.entries(questions)) {
    const took: number[] = [];
    let cpuBefore = 0;
    for (let i = 0; i < rounds + 5; i++) {
      if (i === 5) cpuBefore = cpuMs(waypost.pid);
      const began = performance.now();
      const { status } = await call('GET', `/api/v1${question}`);
      if (status !== 200) throw new Error(`${question} was answered ${status}`);
      if (i >= 5) took.push(performance.now() - began);
    }
    const cpu = (cpuMs(waypost.pid) - cpuBefore) / rounds;
    figure(`${what}, ${name}, p95`, quantile(took, 0.95), 'ms', atMost(25));
    figure(`${what}, ${name}, CPU of a request`, cpu, 'ms');
  }
}

/** One after the other, and no sooner than the server asks the click store again. */
async function figures(call: Call): Promise<void> {
  for (const days of [7, 30, 90])
    for (const bots of ['include', 'exclude']) {
      await sleep(FIGURES_KEPT.keepMs);
      const began = performance.now();
      const { body } = await call('GET', `/api/v1/links/${HOT}/analytics?period=${days}d&bots=${bots}`);
      const took = performance.now() - began;
      console.log(`figures of ${days} days, bots ${bots}d: ${body.total_clicks} clicks in ${took.toFixed(0)} ms`);
    }
}

async function inTheBrowser(email: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' });
  // Interactions from the event to its paint, as the browser counts them, to 8 ms; frames while something scrolls.
  await context.addInitScript(`
    self.interactions = [];
    new PerformanceObserver((list) => {
      for (const { interactionId, duration, name, target } of list.getEntries())
        if (interactionId > 0) self.interactions.push([duration, name + ' ' + (target?.ariaLabel || target?.textContent)]);
    }).observe({ type: 'event', durationThreshold: 16, buffered: true });`);
  const page = await context.newPage();
  const { sign_in_url } = await waypost.admin<{ sign_in_url: string }>('sign-in-link', { email });
  await page.goto(`${waypost.api}${new URL(sign_in_url).pathname}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('tbody tr').nth(24).waitFor();

  const painted: Interaction[] = [];
  const settled = () => page.locator('.card[aria-busy=false]').waitFor();
  for (let i = 0; i < 5; i++) {
    await page.goto(`${waypost.api}/?limit=100&page=${10 * i + 1}`);
    await page.locator('tbody tr').nth(99).waitFor();
    for (const name of ['Next page', 'Link', 'Created', /^Revoked/, /^All/]) {
      await page.getByRole('button', { name, exact: true }).click();
      await settled();
    }
    await page.locator('tbody tr').nth(99).waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await page.getByLabel('Search address or destination').pressSequentially('length/9', { delay: 40 });
    await page.waitForURL(/search=/);
    await settled();
    await page.getByLabel('Filter by tag').pressSequentially('tag-14', { delay: 40 });
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove tag tag-14' }).click();
    await settled();
    await page.waitForTimeout(300);
    painted.push(...(await page.evaluate<Interaction[]>('self.interactions')));
  }
  interactions(painted);

  await page.goto(`${waypost.api}/?limit=100`);
  await page.locator('tbody tr').nth(99).waitFor();
  const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
    const took = [];
    let last = performance.now();
    const step = (at) => {
      took.push(at - last);
      last = at;
      scrollBy(0, 60);
      if (took.length < 90) requestAnimationFrame(step);
      else resolve(took.slice(5));
    };
    requestAnimationFrame(step);
  })`);
  console.log(
    `scrolling 100 rows: frame p50 ${median(frames).toFixed(1)} ms, p95 ${quantile(frames, 0.95).toFixed(1)} ms, longest ${Math.max(...frames).toFixed(1)} ms`,
  );

  const began = performance.now();
  await page.goto(`${waypost.api}/links/${HOT}`);
  await page.locator('.figs').waitFor();
  const first = performance.now() - began;
  const switched: string[] = [];
  for (const days of [30, 90]) {
    const before = (await page.locator('.figs .fig').first().textContent()) ?? '';
    const at = performance.now();
    await page.getByRole('button', { name: `${days} days` }).click();
    await page.locator('.figs').filter({ hasNotText: before }).waitFor();
    switched.push(`${days} days ${(performance.now() - at).toFixed(0)} ms`);
  }
  figure(`in Chromium, first figures of a link with ${clicks} clicks`, first, 'ms', below(1_000));
  console.log(`then ${switched.join(', ')}`);
}

type Interaction = readonly [ms: number, what: string];

function interactions(took: readonly Interaction[]): void {
  const all = took.toSorted(([a], [b]) => a - b);
  // The browser tells of those from 16 ms on.
  const [ms, what] = all.at(-1) ?? [16, 'none over 16 ms'];
  console.log(`${all.length} interactions over 16 ms; the longest: ${what.slice(0, 60)}`);
  figure(`in Chromium, ${links} links, 100 rows: the longest interaction`, ms, 'ms', atMost(100));
}
