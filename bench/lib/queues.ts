/** What waits inside a product, and what came to the end of the way. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Clicks, withClickHouse } from './fill.ts';

/** Values of metrics at this moment, summed over their labels. */
export async function metricsOf(internalUrl: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  return (name) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
}

const QUEUES = ['waypost_click_log_unsent_bytes', 'waypost_click_log_held_clicks', 'waypost_outbox_events'];

/** Resolves to what still waits after `withinMs`: bytes and counts in one sum. */
export async function untilEmpty(internalUrl: string, withinMs: number): Promise<number> {
  const end = performance.now() + withinMs;
  for (;;) {
    const waiting = QUEUES.map(await metricsOf(internalUrl)).reduce((sum, each) => sum + each, 0);
    if (waiting === 0 || performance.now() > end) return waiting;
    await pause(100);
  }
}

/** Of a product that is stopped. */
export function storedClicks(dataDir: string): Promise<number> {
  return withClickHouse(dataDir, countClicks);
}

export async function countClicks(client: Clicks): Promise<number> {
  const result = await client.query({ query: 'SELECT count() AS n FROM waypost.clicks FINAL', format: 'JSONEachRow' });
  const [row] = await result.json<{ n: string }>();
  return Number(row!.n);
}
