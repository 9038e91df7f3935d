/**
 * Measures verdicts: `npm run bench -- scan [entries]` (default 1,000,000). Fetches nothing. It measures the time per
 * URL for the hostile set and for a large generated set, and the time of bulks of 500. It measures how long bulks and
 * the import of a feed of that size block the event loop. It measures what memory stays after the import and after the
 * feed was replaced by a small one, and the time of a start on the stored data. Goals are for two idle cores.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { loneScanner } from '../services/scanner/scripts/lone-scanner.ts';
import { createScanner } from '../services/scanner/src/index.ts';
import { atMost, endOfGoals, figure, type Goal } from './lib/goals.ts';
import { quantile } from './lib/product.ts';

const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const BULK = 500;
const KEY_BYTES = 8;
/** What compiled code and the heap of a working process gain without any feed. */
const OTHERS_MB = 40;
const NOISE_MB = 10;

const folder = mkdtempSync(join(tmpdir(), 'waypost-bench-'));
const deps = loneScanner(folder);
const { scanner, importFeed } = await createScanner(deps);

const fixture = readFileSync(new URL('../services/scanner/test/fixtures/hostile-urls.jsonl', import.meta.url), 'utf8');
const hostile = Array.from(fixture.trim().split('\n'), (line): string => JSON.parse(line).input);
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
  await pause(20);
}
const { entries, generation } = await imported;
figure('import, entries', entries);
figure('import', (performance.now() - startedAt) / 1000, 's');
console.log(`  generation ${generation}, ${bulksMeanwhile} bulks meanwhile`);
eventLoopHeld('import, swap and bulks');
figure('memory during the import, gained', gained(), 'MB');
await pagesBack();
figure('memory with the feed, gained', gained(), 'MB', atMost((ENTRIES * KEY_BYTES) / 1e6 + OTHERS_MB));
await coldStart();

for (const url of hostile) for (let i = 0; i < 3; i++) await scanner.scan([url]);
await perUrl('hostile set', hostile, 30);
await perUrl('made-up set', ordinary, 1, atMost(300));
await bulks();
await replaced();
rmSync(folder, { recursive: true });
endOfGoals();

function gained(): number {
  return (process.memoryUsage().rss - rssBefore) / 1e6;
}

/** V8 keeps the pages of an ended worker for eight seconds, in case another worker needs some. */
function pagesBack(): Promise<void> {
  return pause(10_000);
}

async function replaced(): Promise<void> {
  writeFileSync(file, 'http://bad.example.net/kit/\n');
  const before = process.memoryUsage();
  await importFeed({ file }, { name: 'large', format: 'urls', threatType: 'phishing' });
  await pagesBack();
  const { rss } = process.memoryUsage();
  figure('memory gained when a small feed replaces it', (rss - before.rss) / 1e6, 'MB', atMost(NOISE_MB));
}

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
  quantiles(`${name}, a verdict`, times, 'us', undefined, goal);
  // The best round of a URL has no pauses of the machine.
  figure(`${name}, the slowest URL`, Math.max(...fastest), 'us');
}

/** Starts another scanner on the same folder, as after a restart, and waits for its first verdict. */
async function coldStart(): Promise<void> {
  const start = performance.now();
  const again = await createScanner(deps);
  const { verdicts } = await again.scanner.scan(['http://bad7.example.net/kit/7']);
  figure('start on the stored data, until a verdict', performance.now() - start, 'ms', atMost(1_000));
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
  // Other work of the machine hardly changes CPU time.
  const cpuMs = (user + system) / 1e3 / times.length;
  quantiles('bulk of 500', times, 'ms', atMost(30));
  figure('bulk of 500, CPU', cpuMs, 'ms');
  eventLoopHeld('bulks');
}

function quantiles(what: string, times: readonly number[], unit: string, p50?: Goal, p99?: Goal): void {
  figure(`${what}, p50`, quantile(times, 0.5), unit, p50);
  figure(`${what}, p99`, quantile(times, 0.99), unit, p99);
  figure(`${what}, longest`, quantile(times, 1), unit);
}

function eventLoopHeld(during: string): void {
  figure(`event loop held during ${during}, p99`, delay.percentile(99) / 1e6, 'ms', atMost(10));
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
