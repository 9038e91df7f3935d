/** What waits inside a product, and what came to the end of the way. */
import type { startEmbeddedClickHouse } from '../../libs/adapter-embedded/src/index.ts';

type Clicks = Awaited<ReturnType<typeof startEmbeddedClickHouse>>['client'];

/** Values of metrics at this moment, summed over their labels. */
export async function metricsOf(internalUrl: string): Promise<(name: string) => number> {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  return (name) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
}

export async function countClicks(client: Clicks): Promise<number> {
  const result = await client.query({ query: 'SELECT count() AS n FROM waypost.clicks FINAL', format: 'JSONEachRow' });
  const [row] = await result.json<{ n: string }>();
  return Number(row!.n);
}
