import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll } from '@jest/globals';
import { startEmbeddedClickHouse } from '@waypost/adapter-embedded';
import { newFolder } from '@waypost/test-support/afterwards';
import { startClickHouseFront } from '../../../scripts/engines/clickhouse-front.ts';
import { clickhouseClickSink, clickhouseClickStats, connectClickHouse, prepareClickHouse } from '../src/index.ts';

type Engine = Awaited<ReturnType<typeof startEmbeddedClickHouse>>;

/** The two ways to reach ClickHouse: in this process, and over HTTP with the unmodified client. */
export const ENGINES: readonly (readonly [name: string, start: () => Promise<Engine>])[] = [
  ['chDB in process', () => startEmbeddedClickHouse(newFolder())],
  ['HTTP', startOverHttp],
];

/** For what the engine itself keeps, however it is reached. */
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

/** An engine for this suite, there from its first test on. */
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

/** A sink and the statistics of one empty store, and its client, on an engine for this suite. */
export function openedClicks(start: () => Promise<Engine>) {
  const engine = openedEngine(start, preparedStore);
  return () => ({
    client: engine.client,
    sink: clickhouseClickSink(engine.client, 'waypost'),
    stats: clickhouseClickStats(engine.client, 'waypost'),
  });
}
