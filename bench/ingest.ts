/**
 * analytics-ingest as a separate process: a backlog of clicks on a real Kafka into ClickHouse, beside a consumer that
 * only reads the same topic. Needs Java and Maven. On two cores broker, engine and ingest share the CPU.
 *
 *   node bench/ingest.ts [--clicks 1000000]
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connectClickHouse, prepareClickHouse } from '../libs/adapter-clickhouse/src/index.ts';
import { kafkaBus, prepareTopics } from '../libs/adapter-kafka/src/index.ts';
import { connectKafka } from '../libs/adapter-kafka/src/kafkajs.ts';
import { CLICKS } from '../libs/domain/src/index.ts';
import { createLogger } from '../libs/telemetry/src/index.ts';
import { freePort, startClickHouseFront, startKafka } from '../scripts/engines/index.ts';
import { clickMaker } from './lib/clicks.ts';
import { cpuSeconds } from './lib/product.ts';

const { values } = parseArgs({ options: { clicks: { type: 'string', default: '1000000' } } });
const COUNT = Number(values.clicks);
const MAIN = fileURLToPath(import.meta.resolve('@waypost/analytics-ingest/main'));

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-bench-'));
const stops: (() => unknown)[] = [() => fs.rmSync(dir, { recursive: true, force: true })];
try {
  const kafka = await startKafka({ dir: path.join(dir, 'kafka') });
  stops.push(() => kafka.stop());
  const clickhouse = await startClickHouseFront({ dir: path.join(dir, 'clickhouse') });
  stops.push(() => clickhouse.stop());
  const connection = { brokers: [`127.0.0.1:${kafka.port}`], clientId: 'bench' };
  await prepareTopics(connection);
  const client = connectClickHouse({ url: `http://127.0.0.1:${clickhouse.port}` });
  stops.push(() => client.close());
  await prepareClickHouse(client, 'waypost');

  const fail = (error: Error) => {
    throw error;
  };
  const bus = kafkaBus({ ...connection, logger: createLogger('bench', 'error'), onFatal: fail });
  stops.push(() => bus.stop());
  const next = clickMaker({ clicks: COUNT, hot: COUNT * 0.15, links: 2_500, now: Date.now() });
  let sendMs = 0;
  for (let sent = 0; sent < COUNT; sent += 5_000) {
    const messages = Array.from({ length: Math.min(5_000, COUNT - sent) }, next);
    const began = performance.now();
    await bus.publishEncoded(CLICKS, messages);
    sendMs += performance.now() - began;
  }
  console.log(`published: ${COUNT} clicks, ${((COUNT / sendMs) * 1_000).toFixed(0)} a second`);

  // The upper bound: the same client reads the same topic and discards the messages.
  const consumer = connectKafka(connection, { requestTimeoutMs: 8_000, retries: 3 }).consumer({
    groupId: 'reader',
    maxBytesPerPartition: 4 << 20,
    maxBytes: 16 << 20,
    minBytes: 1 << 18,
    maxWaitTimeInMs: 1_000,
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [CLICKS.name], fromBeginning: true });
  let read = 0;
  let first = 0;
  const done = new Promise<void>((resolve) => {
    void consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        first ||= performance.now();
        read += batch.messages.length;
        if (read >= COUNT) resolve();
      },
    });
  });
  await done;
  const reading = (COUNT / (performance.now() - first)) * 1_000;
  await consumer.disconnect();
  console.log(`reference, read and thrown away: ${reading.toFixed(0)} a second`);

  const port = await freePort();
  const ingest = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      UV_THREADPOOL_SIZE: '16',
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'warn',
      KAFKA_BROKERS: connection.brokers[0],
      CLICKHOUSE_URL: `http://127.0.0.1:${clickhouse.port}/waypost`,
    },
  });
  stops.push(() => ingest.kill('SIGKILL'));
  const stored = async () => {
    const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.text(),
      () => '',
    );
    return Number(/^waypost_ingest_clicks_stored_total (\S+)$/m.exec(text)?.[1] ?? 0);
  };
  // From the first batch on: joining the group does not count.
  let begun: { at: number; count: number; cpu: number } | undefined;
  for (;;) {
    const count = await stored();
    if (begun === undefined && count > 0) begun = { at: performance.now(), count, cpu: cpuSeconds(ingest.pid!) };
    if (begun !== undefined && count >= COUNT) {
      const seconds = (performance.now() - begun.at) / 1_000;
      const rate = (count - begun.count) / seconds;
      const cpu = (cpuSeconds(ingest.pid!) - begun.cpu) / seconds;
      console.log(`ingest into ClickHouse: ${rate.toFixed(0)} a second with ${cpu.toFixed(2)} cores of its own`);
      console.log(`ratio to the reference: ${(rate / reading).toFixed(2)}`);
      console.log(`target: 60,000 a second: ${rate >= 60_000 ? 'met' : 'MISSED'}`);
      break;
    }
    await sleep(100);
  }
  const result = await client.query({ query: 'SELECT count() AS n FROM waypost.clicks FINAL', format: 'JSONEachRow' });
  const [row] = await result.json<{ n: string }>();
  console.log(`rows in ClickHouse: ${row!.n} of ${COUNT}`);
} finally {
  for (const stop of stops.reverse()) await stop();
}
