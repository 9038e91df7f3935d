import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll } from '@jest/globals';
import { startEmbeddedClickHouse } from '@waypost/adapter-embedded';
import type { ClickSink, ClickStats } from '@waypost/ports';
import { clickhouseClickSink, clickhouseClickStats, connectClickHouse, prepareClickHouse } from '../src/index.ts';
import { startFront } from './front-process.ts';

export interface Engine {
  readonly client: ClickHouseClient;
  stop(): Promise<void>;
}

/** The two ways to reach ClickHouse: in this process, and over HTTP with the unmodified client. */
export const ENGINES: readonly (readonly [name: string, start: () => Promise<Engine>])[] = [
  ['chDB in process', startInProcess],
  ['HTTP', startOverHttp],
];

async function startInProcess(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'waypost-chdb-'));
  const { client, stop } = await startEmbeddedClickHouse(folder);
  return {
    client,
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startOverHttp(): Promise<Engine> {
  const front = await startFront();
  const client = connectClickHouse({ url: front.url });
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

/** A sink and the statistics of one empty store, on an engine for this suite. */
export function openedClicks(
  start: () => Promise<Engine>,
): () => { readonly sink: ClickSink; readonly stats: ClickStats } {
  const engine = openedEngine(start, preparedStore);
  return () => ({
    sink: clickhouseClickSink(engine.client, 'waypost'),
    stats: clickhouseClickStats(engine.client, 'waypost'),
  });
}
