/**
 * What a click costs after its redirect. In the one process: CPU time from the click log to the row.
 * Over Kafka: CPU time by process, and a backlog on a real broker into ClickHouse by analytics-ingest as a separate
 * process, beside a consumer that only reads the same topic. Kafka needs Java and Maven. On two cores broker, engine and
 * ingest share the CPU.
 *
 *   npm run bench -- ingest [--clicks 1000000] [--only one-process|kafka]
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
import { measureOneProcess, shipped, writtenLog } from './lib/click-costs.ts';
import { atLeast, endOfGoals, figure } from './lib/goals.ts';
import { cpuMs } from './lib/product.ts';
import { countClicks, metricsOf } from './lib/queues.ts';

const { values } = parseArgs({
  options: { clicks: { type: 'string', default: '1000000' }, only: { type: 'string' } },
});
const COUNT = Number(values.clicks);
/** Enough for the one process. */
const ONE_PROCESS_COUNT = Math.min(COUNT, 200_000);
const MAIN = fileURLToPath(import.meta.resolve('@waypost/analytics-ingest/main'));

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-bench-'));
const stops: (() => unknown)[] = [() => fs.rmSync(dir, { recursive: true, force: true })];
try {
  if (values.only !== 'kafka') await measureOneProcess(dir, ONE_PROCESS_COUNT);
  if (values.only !== 'one-process') await overKafka();
} finally {
  for (const stop of stops.reverse()) await stop();
}
endOfGoals();

async function overKafka(): Promise<void> {
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
  const folder = path.join(dir, 'click-log');
  await writtenLog(folder, COUNT);
  const brokerBefore = cpuMs(kafka.pid);
  const began = performance.now();
  const shipping = (await shipped(folder, COUNT, bus)) / COUNT;
  const rateOut = (COUNT / (performance.now() - began)) * 1_000;
  const brokerCpu = ((cpuMs(kafka.pid) - brokerBefore) * 1_000) / COUNT;
  figure('shipped to Kafka', rateOut, 'clicks a second');
  figure('shipped to Kafka, CPU per click in the redirector', shipping, 'us');
  figure('shipped to Kafka, CPU per click in the broker', brokerCpu, 'us');

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
        for (const { value } of batch.messages) read += (value?.toString('latin1').match(/\n/g)?.length ?? 0) + 1;
        if (read >= COUNT) resolve();
      },
    });
  });
  await done;
  const reading = (COUNT / (performance.now() - first)) * 1_000;
  await consumer.disconnect();
  figure('reference: read and thrown away', reading, 'clicks a second');

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
    const metric = await metricsOf(`http://127.0.0.1:${port}`).catch(() => () => 0);
    return metric('waypost_ingest_clicks_stored_total');
  };
  // From the first batch on: joining the group does not count.
  const processes = { 'analytics-ingest': ingest.pid!, ClickHouse: clickhouse.pid, 'the broker': kafka.pid };
  const cpuNow = () => Object.values(processes).map((pid) => cpuMs(pid));
  let begun: { at: number; count: number; cpu: number[] } | undefined;
  for (;;) {
    const count = await stored();
    if (begun === undefined && count > 0) begun = { at: performance.now(), count, cpu: cpuNow() };
    if (begun !== undefined && count >= COUNT) {
      const seconds = (performance.now() - begun.at) / 1_000;
      const clicks = count - begun.count;
      const rate = clicks / seconds;
      const cpu = cpuNow();
      figure('ingest into ClickHouse', rate, 'clicks a second', atLeast(150_000));
      for (const [i, name] of Object.keys(processes).entries())
        figure(`ingest, CPU per click in ${name}`, ((cpu[i]! - begun.cpu[i]!) * 1_000) / clicks, 'us');
      figure('ingest, ratio to the reference', rate / reading);
      break;
    }
    // A scrape costs the process milliseconds.
    await sleep(250);
  }
  figure(`rows in ClickHouse, of ${COUNT}`, await countClicks(client));
}
