import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClickHouseClient } from '@clickhouse/client';
import { startEmbeddedClickHouse } from '../../adapter-embedded/src/clickhouse.ts';
import type { ClicksUnderTest } from '../../ports/src/contract/clicks-under-test.ts';
import { clickhouseClickSink, clickhouseClickStats, connectClickHouse, prepareClickHouse } from '../src/index.ts';
import { startFront } from './front-process.ts';

export interface Engine {
  readonly client: ClickHouseClient;
  stop(): Promise<void>;
}

/** The two ways to ClickHouse: in this process, and over HTTP with the client as it is. */
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

/** An engine of its own with an empty database, as the contract suites want it. */
export async function openClicks(start: () => Promise<Engine>): Promise<ClicksUnderTest> {
  const { client, stop } = await start();
  await prepareClickHouse(client, 'waypost');
  return {
    sink: clickhouseClickSink(client, 'waypost'),
    stats: clickhouseClickStats(client, 'waypost'),
    close: stop,
  };
}
