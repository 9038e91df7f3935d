import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll } from '@jest/globals';
import { startEmbeddedClickHouse } from '@waypost/adapter-embedded';
import { startClickHouseFront } from '@waypost/engines/clickhouse-front';
import { newFolder } from '@waypost/test-support/afterwards';
import { clickhouseClickSink, clickhouseClickStats, connectClickHouse, prepareClickHouse } from '../src/index.ts';

type Engine = Awaited<ReturnType<typeof startEmbeddedClickHouse>>;

/** There are two ways to use ClickHouse: in this process, or over HTTP with the unmodified client. */
export const ENGINES: readonly (readonly [name: string, start: () => Promise<Engine>])[] = [
  ['chDB in process', () => startEmbeddedClickHouse(newFolder())],
  ['HTTP', startOverHttp],
];

export async function startOverHttp(): Promise<Engine> {
  const front = await startClickHouseFront({ dir: newFolder() });
  const client = connectClickHouse({ url: `http://127.0.0.1:${front.port}` });
  return {
    client,
    async stop() {
      await client.close();
      await front.stop();
    },
  };
}

/** Opens an engine before the first test of a suite and stops it after the last. */
export function openedEngine(start: () => Promise<Engine>, prepare = async (_client: ClickHouseClient) => {}) {
  let engine: Engine;
  beforeAll(async () => {
    engine = await start();
    await prepare(engine.client);
  });
  afterAll(() => engine?.stop());
  return {
    get client() {
      return engine.client;
    },
    async rows(query: string, query_params: Record<string, unknown> = {}) {
      const result = await engine.client.query({ query, query_params, format: 'JSONEachRow' });
      return result.json<Record<string, unknown>>();
    },
  };
}

export const preparedStore = (client: ClickHouseClient) => prepareClickHouse(client, 'waypost');

export function openedClicks(start: () => Promise<Engine>) {
  const engine = openedEngine(start, preparedStore);
  return () => ({
    client: engine.client,
    sink: clickhouseClickSink(engine.client, 'waypost'),
    stats: clickhouseClickStats(engine.client, 'waypost'),
  });
}
