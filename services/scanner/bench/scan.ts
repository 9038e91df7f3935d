/**
 * Measures verdicts: `node services/scanner/bench/scan.ts [entries]` (default 1,000,000).
 *
 * Prints the time per URL over the hostile set and over a large made-up set, the time of bulks of 500, how long bulks,
 * and the import of a feed of that size, block the event loop, what the entries take of memory, and how long a start on
 * the stored data takes. Goals are for two idle cores. Fetches nothing.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { NO_ALLOWED_HOSTS } from '@waypost/domain';
import { createScanner, registrableDomain, type ScannerDeps } from '../src/index.ts';

const ENTRIES = Number(process.argv[2] ?? 1_000_000);
const BULK = 500;

const folder = mkdtempSync(join(tmpdir(), 'waypost-bench-'));
const silent = { error() {}, warn() {}, info() {}, debug() {} } as never;
const deps: ScannerDeps = {
  dataDir: folder,
  policy: { registrableDomain, ownHosts: ['sho.example.com'], allowed: NO_ALLOWED_HOSTS },
  links: {
    file: async () => {},
    drop: async () => {},
    matching: async () => [],
    find: async () => [],
    all: async () => [],
  },
  looks: {
    add: async () => {},
    take: async () => [],
    finish: async () => {},
    putBack: async () => {},
    claimHosts: async () => [],
  },
  bus: { publishEncoded: async () => {}, subscribe: async () => ({ parked: () => 0, stop: async () => {} }) },
  feeds: 'none',
  logger: silent,
  now: () => new Date(),
};
const { scanner, importFeed, status } = await createScanner(deps);

const fixture = readFileSync(new URL('../test/fixtures/hostile-urls.jsonl', import.meta.url), 'utf8');
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
print('import', { entries, generation, seconds: (performance.now() - startedAt) / 1000, bulksMeanwhile });
print('event loop held during import, swap and bulks (ms; goal: p99 < 10)', delayFigures());
const { entries: indexed, indexBytes } = status();
print('memory (goal: < 25 MB per million entries)', {
  mbPerMillion: indexBytes / indexed,
  indexMb: indexBytes / 1e6,
  rssGrowthMb: (process.memoryUsage().rss - rssBefore) / 1e6,
});
await coldStart();

await perUrl('hostile set, warm-up', hostile, 3);
await perUrl('hostile set', hostile, 30);
await perUrl('made-up set (goal: p99 < 300)', ordinary, 1);
await bulks();
rmSync(folder, { recursive: true });

async function perUrl(name: string, urls: readonly string[], rounds: number): Promise<void> {
  const times: number[] = [];
  const fastest = new Float64Array(urls.length).fill(Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    for (const [at, url] of urls.entries()) {
      const start = performance.now();
      await scanner.scan([url]);
      const took = performance.now() - start;
      times.push(took);
      fastest[at] = Math.min(fastest[at] ?? took, took);
    }
  }
  // The slowest URL by its best round: what it costs, without the pauses of the machine.
  print(`${name}: one URL (us)`, { ...figures(times, 1000), slowestUrl: Math.max(...fastest) * 1000 });
}

/** Another scanner on the same folder, as after a restart, until its first verdict. */
async function coldStart(): Promise<void> {
  const start = performance.now();
  const again = await createScanner(deps);
  const { verdicts } = await again.scanner.scan(['http://bad7.example.net/kit/7']);
  const { outcome } = verdicts[0]!;
  print('start on the stored data (ms; goal: < 1,000)', { firstVerdict: performance.now() - start, outcome });
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
  print('bulk of 500 (ms; goal: < 30)', { ...figures(times, 1), cpuMs });
  print('event loop held during bulks (ms; goal: p99 < 10)', delayFigures());
}

function figures(times: number[], unit: number): Record<string, number> {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]! * unit;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1) };
}

function delayFigures(): Record<string, number> {
  return { p50: delay.percentile(50) / 1e6, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 };
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

function print(name: string, values: Record<string, unknown>): void {
  const shown = Object.entries(values).map(
    ([key, value]) => `${key} ${typeof value === 'number' ? Math.round(value * 100) / 100 : value}`,
  );
  process.stdout.write(`${name}: ${shown.join(', ')}\n`);
}
