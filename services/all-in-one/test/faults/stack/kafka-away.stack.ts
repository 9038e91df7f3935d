/**
 * Stops Kafka for long, under load. Redirects must stay as fast, and redirectors must not grow. Afterwards the click
 * log must drain, and every click must count. With a small limit on disk, the limit must hold, and lost clicks must be
 * reported. KAFKA_AWAY_SECONDS=600 CLICKS_PER_SECOND=1000 makes a long run.
 */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { clicksOf, comesTo, eventually, metricOf, newSlugs } from '../../support.ts';
import type { Json } from '../../waypost-process.ts';
import { type Load, percentile, startLoad } from './load.ts';
import { apiClient, type StackUnderTest, startStack } from './stack-under-test.ts';

const AWAY_MS = Number(process.env.KAFKA_AWAY_SECONDS ?? 60) * 1_000;
const CLICKS_PER_SECOND = Number(process.env.CLICKS_PER_SECOND ?? 300);
const BEFORE_MS = 10_000;
/** The bound allows for a busy machine. A redirect that waited for Kafka would take seconds. */
const P99_BOUND_MS = 400;
/** The bound is for two processes together, and leaves room for the garbage collector. */
const GROWTH_BOUND = 64 * 1024 ** 2;
const SMALLEST_LOG = 1024 ** 2;

let stack: StackUnderTest;
let running: Load | undefined;
afterEach(async () => {
  await running?.stop();
  await stack?.remove();
}, 120_000);

const redirectors = () => stack.services.filter(({ name }) => name.startsWith('redirector'));

async function sumOf(name: string): Promise<number> {
  const values = await Promise.all(redirectors().map(({ internal }) => metricOf(internal, name)));
  return values.reduce<number>((sum, value) => sum + (value ?? Number.NaN), 0);
}

/** Starts a load that `afterEach` ends, even if the test fails. */
function loadOf(slugs: readonly string[], perSecond: number): Load {
  running = startLoad(stack.redirect, slugs, perSecond);
  return running;
}

async function totals(api: ReturnType<typeof apiClient>, slugs: readonly string[]): Promise<number> {
  let sum = 0;
  for (const slug of slugs) sum += await clicksOf(api, slug);
  return sum;
}

test(
  `frozen for ${AWAY_MS / 1_000} s at ${CLICKS_PER_SECOND} clicks/s: visitors notice nothing, and all is counted`,
  async () => {
    stack = await startStack();
    const api = apiClient(stack.api, (await stack.waypost.newKey()).key);
    const slugs = await newSlugs(api, 8);
    const load = loadOf(slugs, CLICKS_PER_SECOND);
    await pause(3_000);
    load.takeTimes();
    await pause(BEFORE_MS);
    const before = load.takeTimes();

    stack.freeze('Kafka');
    const memory: number[] = [];
    const away: number[] = [];
    for (let elapsed = 0; elapsed < AWAY_MS; elapsed += 5_000) {
      await pause(Math.min(5_000, AWAY_MS - elapsed));
      memory.push(await sumOf('process_resident_memory_bytes'));
      away.push(...load.takeTimes());
    }
    const waiting = await sumOf('waypost_click_log_unsent_bytes');
    for (const { internal } of redirectors()) {
      const { dependencies } = (await (await fetch(`${internal}/readyz`)).json()) as Json;
      expect(dependencies.kafka.ok).toBe(false);
    }
    stack.thaw('Kafka');
    const thawedAt = performance.now();
    await pause(1_000);
    await load.stop();
    await comesTo(() => sumOf('waypost_click_log_unsent_bytes'), 0, 60_000 + AWAY_MS);
    const drained = performance.now() - thawedAt;
    const counted = await eventually(
      () => totals(api, slugs),
      (sum) => sum >= load.answered(),
      60_000 + AWAY_MS,
    );

    away.sort((a, b) => a - b);
    const latencies = [0.5, 0.99].map((part) => {
      const [first, second] = [percentile(before, part), percentile(away, part)];
      return `p${part * 100} ${first.toFixed(1)} -> ${second.toFixed(1)} ms (x${(second / first).toFixed(2)})`;
    });
    // Memory rises and falls. If there is a leak, the second half has a higher peak than the first.
    const half = memory.length >> 1;
    const growth = Math.max(...memory.slice(half)) - Math.max(...memory.slice(0, half));
    const megabytes = memory.map((bytes) => Math.round(bytes / 2 ** 20));
    process.stderr.write(
      `Kafka away ${AWAY_MS / 1_000} s: ${latencies.join(', ')}; ${load.answered()} redirects, ${counted} counted, ${Math.round(waiting / 1_024)} KiB waited on ` +
        `disk, drained ${Math.round(drained)} ms after the thaw; redirectors together, ` +
        `every 5 s: ${megabytes} MiB\n`,
    );
    expect(load.others()).toEqual({});
    expect(percentile(away, 0.99)).toBeLessThan(Math.max(P99_BOUND_MS, 5 * percentile(before, 0.99)));
    expect(percentile(away, 0.5)).toBeLessThan(Math.max(20, 3 * percentile(before, 0.5)));
    expect(waiting).toBeGreaterThan(0);
    expect(counted).toBe(load.answered());
    expect(growth).toBeLessThan(GROWTH_BOUND);
  },
  240_000 + 4 * AWAY_MS,
);

test('with little disk it warns, keeps the limit, reports lost clicks, and counts the others exactly', async () => {
  stack = await startStack({ CLICK_LOG_MAX_BYTES: String(SMALLEST_LOG) });
  const api = apiClient(stack.api, (await stack.waypost.newKey()).key);
  const slugs = await newSlugs(api, 8);
  stack.freeze('Kafka');
  // The second half takes 17 s, and a look at both redirectors up to 8 s while Kafka does not answer.
  const load = loadOf(slugs, 300);

  const warnedBefore = new Set<string>();
  const full = new Set<string>();
  let most = 0;
  const deadline = performance.now() + 120_000;
  while (full.size < redirectors().length && performance.now() < deadline) {
    await pause(100);
    for (const { name, url, internal } of redirectors()) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200); // it must still serve visitors
      const inside = (await (await fetch(`${internal}/readyz`)).json()) as Json;
      const { click_log: clickLog } = inside.dependencies;
      if (clickLog.uncaptured > 0) full.add(name);
      else if (/half full/.test(clickLog.detail ?? '')) warnedBefore.add(name);
      most = Math.max(most, bytesIn(path.join(stack.waypost.dataDir, name)));
    }
  }
  await pause(1_000);
  await load.stop();
  const uncaptured = await sumOf('waypost_click_log_uncaptured_total');
  expect([...full].sort()).toEqual(['redirector-1', 'redirector-2']);
  expect([...warnedBefore].sort()).toEqual(['redirector-1', 'redirector-2']);
  // The cursor and the last tick add a little to the limit.
  expect(most).toBeLessThan(SMALLEST_LOG * 1.05);
  expect(uncaptured).toBeGreaterThan(0);
  expect(load.others()).toEqual({});

  stack.thaw('Kafka');
  const expected = load.answered() - uncaptured;
  const counted = await eventually(
    () => totals(api, slugs),
    (sum) => sum >= expected,
    90_000,
  );
  process.stderr.write(
    `little disk: ${load.answered()} redirects, ${uncaptured} not captured, ${counted} counted; at most ${most} bytes of ${SMALLEST_LOG}\n`,
  );
  expect(counted).toBe(expected);
  // The disk has room again, so new clicks must be captured.
  const after = startLoad(stack.redirect, slugs, 100);
  await pause(1_000);
  await after.stop();
  await comesTo(() => totals(api, slugs), expected + after.answered(), 60_000);
  expect(await sumOf('waypost_click_log_uncaptured_total')).toBe(uncaptured);
}, 360_000);

function bytesIn(folder: string): number {
  return fs.readdirSync(folder).reduce((sum, name) => {
    try {
      return sum + fs.statSync(path.join(folder, name)).size;
    } catch {
      return sum; // the file was shipped meanwhile
    }
  }, 0);
}
