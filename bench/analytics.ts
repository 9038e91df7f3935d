/**
 * Ingest and analytics on the embedded ClickHouse, each beside a reference that is measured in the same run.
 *
 *   npm run bench -- analytics [--clicks 1000000] [--hot 150000] [--idle 10]
 *
 * Loads clicks of a thousand links over 90 days, one of them with 150,000, in batches of 10,000, into a temporary
 * folder. Target: 90 days of the large link within 50 ms (p95) on two cores.
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { clickhouseClickSink, clickhouseClickStats, prepareClickHouse } from '../libs/adapter-clickhouse/src/index.ts';
import { inProcessBus, startEmbeddedClickHouse } from '../libs/adapter-embedded/src/index.ts';
import { CLICKS, type EnrichedClick } from '../libs/domain/src/index.ts';
import { storeClicks } from '../services/analytics-ingest/src/consumers/store-clicks.ts';
import { enrich } from '../services/analytics-ingest/src/enrich.ts';
import { clickMaker } from './lib/clicks.ts';
import { atMost, endOfGoals, figure, type Goal } from './lib/goals.ts';
import { median, quantile } from './lib/product.ts';

const { values: options } = parseArgs({
  options: {
    clicks: { type: 'string', default: '1000000' },
    hot: { type: 'string', default: '150000' },
    /** Seconds. */
    idle: { type: 'string', default: '10' },
  },
});
const COUNT = Number(options.clicks);
const HOT = Number(options.hot);
const BATCH = 10_000;
const LINKS = 2_500;
const DAY_MS = 86_400_000;
const NOW = Date.now();

const nextMessage = clickMaker({ clicks: COUNT, hot: HOT, links: LINKS, now: NOW });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

const folder = await mkdtemp(join(tmpdir(), 'waypost-bench-'));
const { client, stop } = await startEmbeddedClickHouse(folder);
try {
  await prepareClickHouse(client, 'waypost');
  const sink = clickhouseClickSink(client, 'waypost');
  const stats = clickhouseClickStats(client, 'waypost');

  // Ingest: the full path of a batch first, then, as references, the sink alone and inserts inside the engine.
  const bus = inProcessBus({ park: (_topic, _group, _message, error) => Promise.reject(error), logger: console });
  await bus.subscribe(CLICKS, 'bench', storeClicks({ sink, now: Date.now, onBatch: () => {} }));
  let ingestMs = 0;
  let lagMs = 0;
  for (let loaded = 0; loaded < COUNT; loaded += BATCH) {
    const messages = Array.from({ length: Math.min(BATCH, COUNT - loaded) }, nextMessage);
    let last = performance.now();
    const watch = setInterval(() => {
      lagMs = Math.max(lagMs, performance.now() - last - 5);
      last = performance.now();
    }, 5);
    ingestMs += await timed(() => bus.publishEncoded(CLICKS, messages));
    clearInterval(watch);
  }
  const ingest = (COUNT / ingestMs) * 1_000;

  const other = clickhouseClickSink(client, 'bench');
  await prepareClickHouse(client, 'bench');
  const rows: EnrichedClick[][] = Array.from({ length: 20 }, () =>
    Array.from({ length: BATCH }, () => enrich(CLICKS.decode(nextMessage().value))),
  );
  const sinkAlone = await timed(async () => {
    for (const batch of rows) await other.store(batch);
  });
  const engineAlone = await timed(async () => {
    for (let i = 0; i < rows.length; i++) {
      await client.command({
        query: `INSERT INTO bench.clicks SETTINGS async_insert = 0 SELECT * FROM waypost.clicks LIMIT ${BATCH} OFFSET ${i * BATCH}`,
      });
    }
  });
  await client.command({ query: 'DROP DATABASE bench' });
  const sinkRate = ((rows.length * BATCH) / sinkAlone) * 1_000;
  const engineRate = ((rows.length * BATCH) / engineAlone) * 1_000;
  figure('ingest, parse + enrich + store', ingest, 'rows/s');
  figure('ingest, longest stall of the event loop', lagMs, 'ms');
  figure('sink alone', sinkRate, 'rows/s');
  figure('reference: rows copied inside the engine', engineRate, 'rows/s');
  figure('ratio: ingest to the reference', ingest / engineRate);
  figure('ratio: sink to the reference', sinkRate / engineRate);

  const json = async <T>(query: string) => (await (await client.query({ query, format: 'JSONEachRow' })).json<T>())[0]!;
  const { median: medianLink } = await json<{ median: string }>(
    `SELECT slug AS median FROM (SELECT slug, count() AS c FROM waypost.clicks GROUP BY slug ORDER BY c LIMIT ${LINKS}) ORDER BY c LIMIT 1 OFFSET ${LINKS >> 1}`,
  );
  const range = {
    from: new Date(NOW - 89 * DAY_MS).toISOString().slice(0, 10),
    to: new Date(NOW).toISOString().slice(0, 10),
  };

  /** The reference alternates with the query, so that both run on the same machine load. */
  async function compare(state: string, name: string, slug: string, goal?: Goal): Promise<void> {
    const query: number[] = [];
    const reference: number[] = [];
    for (let i = 0; i < 65; i++) {
      const took = await timed(() => stats.figures(slug, range, 'include'));
      const base = await timed(() =>
        json(
          `SELECT count() FROM waypost.clicks WHERE slug = '${slug}' AND NOT ignore(visitor_hash, referrer, browser)`,
        ),
      );
      if (i < 5) continue;
      query.push(took);
      reference.push(base);
    }
    const { total_clicks } = await stats.figures(slug, range, 'include');
    figure(`${state}, ${name} (${total_clicks} clicks), 90 days, p50`, median(query), 'ms');
    figure(`${state}, ${name}, 90 days, p95`, quantile(query, 0.95), 'ms', goal);
    figure(`${state}, ${name}, reference: count() of the same rows, p50`, median(reference), 'ms');
    figure(`${state}, ${name}, ratio of the p50s`, median(query) / median(reference));
  }
  const parts = () =>
    json<{ parts: number; bytes: number }>(
      "SELECT count() AS parts, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = 'waypost' AND table = 'clicks'",
    );

  await compare('just loaded', 'large link', 'hot');
  await compare('just loaded', 'median link', medianLink);
  figure('just loaded, parts', Number((await parts()).parts));

  // A month without new writes folds into one part within hours (see the table's settings).
  await client.command({ query: 'OPTIMIZE TABLE waypost.clicks FINAL' });
  await compare('folded', 'large link', 'hot', atMost(50));
  await compare('folded', 'median link', medianLink);
  const { parts: left, bytes } = await parts();
  figure('folded, parts', Number(left));
  figure('bytes per click on disk', Number(bytes) / COUNT);

  // Four concurrent callers, and a query while batches arrive.
  const callers = 4;
  const each = 25;
  const together = await timed(() =>
    Promise.all(
      Array.from({ length: callers }, async () => {
        for (let i = 0; i < each; i++) await stats.figures(medianLink, range, 'include');
      }),
    ),
  );
  figure('four callers at once, median link', (callers * each * 1_000) / together, 'queries/s');
  const during: number[] = [];
  let ingesting = true;
  const writer = (async () => {
    while (ingesting) await sink.store(rows[0]!.slice(0, 1_000));
  })();
  for (let i = 0; i < 40; i++) during.push(await timed(() => stats.figures('hot', range, 'include')));
  ingesting = false;
  await writer;
  figure('large link while clicks come in, p95', quantile(during, 0.95), 'ms');

  await sleep(3_000);
  const before = process.cpuUsage();
  await sleep(Number(options.idle) * 1_000);
  const idle = process.cpuUsage(before);
  figure('idle after all that, share of a core', (idle.user + idle.system) / 10_000 / Number(options.idle), '%');
  figure('memory of the process', process.memoryUsage().rss / 1e6, 'MB');
  figure('threads', (await readdir('/proc/self/task').catch(() => [])).length);
} finally {
  await stop();
  await rm(folder, { recursive: true, force: true });
}
endOfGoals();
