/**
 * Measures verdicts: `npm run bench -- scan [entries]` (default 1,000,000).
 *
 * The time per URL over the hostile set and over a large made-up set, the time of bulks of 500, how long bulks,
 * and the import of a feed of that size, block the event loop, what the entries take of memory, and how long a start on
 * the stored data takes. Goals are for two idle cores. Fetches nothing.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loneScanner } from '../services/scanner/scripts/lone-scanner.ts';
import { createScanner } from '../services/scanner/src/index.ts';
import { below, endOfGoals, figure, type Goal } from './lib/goals.ts';
import { quantile } from './lib/product.ts';

const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const BULK = 500;

const folder = mkdtempSync(join(tmpdir(), 'waypost-bench-'));
const deps = loneScanner(folder);
const { scanner, importFeed } = await createScanner(deps);

const fixture = readFileSync(new URL('../services/scanner/test/fixtures/hostile-urls.jsonl', import.meta.url), 'utf8');
const hostile = fixture
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line).input as string);
const ordinary = Array.from({ length: 50_000 }, (_, i) => madeUpUrl(i));

const file = join(folder, 'large-feed.txt');
writeFileSync(file, Array.from({ length: ENTRIES }, (_, i) => `http://bad${i}.example.net/kit/${i}`).join('\n'));
const rssBefore = process.memoryUsage().rss;
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let importing = true;
const startedAt = performance.now();
const imported = importFeed({ file }, { name: 'large', format: 'urls', threatType: 'phishing' }).finally(() => {
  importing = false;
});
let bulksMeanwhile = 0;
while (importing) {
  await scanner.scan(ordinary.slice(0, BULK));
  bulksMeanwhile++;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const { entries, generation } = await imported;
figure('import, entries', entries);
figure('import', (performance.now() - startedAt) / 1000, 's');
console.log(`  generation ${generation}, ${bulksMeanwhile} bulks meanwhile`);
eventLoopHeld('import, swap and bulks');
figure('memory that the process has gained', (process.memoryUsage().rss - rssBefore) / 1e6, 'MB');
await coldStart();

for (const url of hostile) for (let i = 0; i < 3; i++) await scanner.scan([url]); // warm
await perUrl('hostile set', hostile, 30);
await perUrl('made-up set', ordinary, 1, below(300));
await bulks();
rmSync(folder, { recursive: true });
endOfGoals();

async function perUrl(name: string, urls: readonly string[], rounds: number, goal?: Goal): Promise<void> {
  const times: number[] = [];
  const fastest = new Float64Array(urls.length).fill(Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    for (const [at, url] of urls.entries()) {
      const start = performance.now();
      await scanner.scan([url]);
      const took = (performance.now() - start) * 1000;
      times.push(took);
      fastest[at] = Math.min(fastest[at] ?? took, took);
    }
  }
  quantiles(`${name}, a verdict`, times, 'us', { p99: goal });
  // By its best round: what it costs, without the pauses of the machine.
  figure(`${name}, the slowest URL`, Math.max(...fastest), 'us');
}

/** Another scanner on the same folder, as after a restart, until its first verdict. */
async function coldStart(): Promise<void> {
  const start = performance.now();
  const again = await createScanner(deps);
  const { verdicts } = await again.scanner.scan(['http://bad7.example.net/kit/7']);
  figure('start on the stored data, until a verdict', performance.now() - start, 'ms', below(1_000));
  console.log(`  it is ${verdicts[0]!.outcome}`);
}

async function bulks(): Promise<void> {
  delay.reset();
  const cpuBefore = process.cpuUsage();
  const times: number[] = [];
  for (let from = 0; from + BULK <= ordinary.length; from += BULK) {
    const start = performance.now();
    await scanner.scan(ordinary.slice(from, from + BULK));
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  // What other work of the machine does not change.
  const cpuMs = (user + system) / 1e3 / times.length;
  quantiles('bulk of 500', times, 'ms', { p50: below(30) });
  figure('bulk of 500, CPU', cpuMs, 'ms');
  eventLoopHeld('bulks');
}

function quantiles(
  what: string,
  times: readonly number[],
  unit: string,
  goals: { readonly p50?: Goal; readonly p99?: Goal | undefined },
): void {
  figure(`${what}, p50`, quantile(times, 0.5), unit, goals.p50);
  figure(`${what}, p99`, quantile(times, 0.99), unit, goals.p99);
  figure(`${what}, p99.9`, quantile(times, 0.999), unit);
  figure(`${what}, longest`, quantile(times, 1), unit);
}

function eventLoopHeld(during: string): void {
  figure(`event loop held during ${during}, p50`, delay.percentile(50) / 1e6, 'ms');
  figure(`event loop held during ${during}, p99`, delay.percentile(99) / 1e6, 'ms', below(10));
  figure(`event loop held during ${during}, longest`, delay.max / 1e6, 'ms');
}

function madeUpUrl(i: number): string {
  const random = Math.imul(i + 1, 0x9e3779b1) >>> 0;
  const host = `${['www.shop', 'docs.site', 'a.b.c.service', 'news'][random % 4]}${random % 9973}`;
  const suffix = ['com', 'co.uk', 'github.io', 'org', 'net'][(random >>> 3) % 5];
  const path = [
    '',
    'a/b/c/d/index.html',
    'product/12345?ref=mail&utm_source=x',
    `search?q=${random}&u=https%3A%2F%2Fexample.com%2F`,
  ];
  return `https://${host}.${suffix}/${path[(random >>> 7) % 4]}`;
}
