/**
 * Measures what a click costs after its redirect. On two cores, broker, engine and ingest share the CPU.
 *
 * In one process it measures the CPU time from the click log to the row. Over Kafka it measures CPU time by process,
 * and how fast analytics-ingest moves a backlog from a broker to ClickHouse. The reference is a consumer that only
 * reads the same topic. Kafka needs Java and Maven.
 *
 *   npm run bench -- ingest [--clicks 1000000] [--only one-process|kafka]
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { clickhouseClickSink, connectClickHouse, prepareClickHouse } from '../libs/adapter-clickhouse/src/index.ts';
import { inProcessBus, startEmbeddedClickHouse } from '../libs/adapter-embedded/src/index.ts';
import { kafkaBus, prepareTopics } from '../libs/adapter-kafka/src/index.ts';
import { connectKafka } from '../libs/adapter-kafka/src/kafkajs.ts';
import { CLICKS } from '../libs/domain/src/index.ts';
import type { Bus } from '../libs/ports/src/index.ts';
import { createLogger } from '../libs/telemetry/src/index.ts';
import { freePort, startClickHouseFront, startKafka } from '../scripts/engines/index.ts';
import { storeClicks } from '../services/analytics-ingest/src/consumers/store-clicks.ts';
import { openClickLog } from '../services/redirector/src/clicks/log/click-log.ts';
import { readCursor } from '../services/redirector/src/clicks/log/cursor.ts';
import { clickLogView } from '../services/redirector/src/clicks/log/log-view.ts';
import { sharedState } from '../services/redirector/src/clicks/log/shared-state.ts';
import { Shipper } from '../services/redirector/src/clicks/log/shipper.ts';
import { clickSource } from './lib/clicks.ts';
import { atLeast, atMost, endOfGoals, figure } from './lib/goals.ts';
import { optionsOf } from './lib/options.ts';
import { cpuMs } from './lib/product.ts';

type ClickHouseClient = Parameters<typeof clickhouseClickSink>[0];
type Connection = Parameters<typeof connectKafka>[0];

const options = optionsOf({ clicks: '1000000', only: '' });
const COUNT = Number(options.clicks);
const ONE_PROCESS_COUNT = Math.min(COUNT, 200_000);
const MAX_BYTES = 2 ** 32;
/** A busy redirector logs this many clicks in one tick of its event loop. */
const PER_TICK = 20;
const MAIN = fileURLToPath(import.meta.resolve('@waypost/analytics-ingest/main'));

const logger = createLogger('bench', 'error');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-bench-'));
const stops: (() => unknown)[] = [() => fs.rmSync(dir, { recursive: true, force: true })];
try {
  if (options.only !== 'kafka') await inOneProcess(ONE_PROCESS_COUNT);
  if (options.only !== 'one-process') await overKafka();
} finally {
  for (const stop of stops.reverse()) await stop();
}
endOfGoals();

async function inOneProcess(clicks: number): Promise<void> {
  const folder = path.join(dir, 'log');
  await writeLog(folder, clicks);
  const engine = await startEmbeddedClickHouse(path.join(dir, 'engine'));
  try {
    await prepareClickHouse(engine.client, 'waypost');
    const bus = inProcessBus({ park: (_topic, _group, _message, error) => Promise.reject(error), logger });
    const sink = clickhouseClickSink(engine.client, 'waypost');
    await bus.subscribe(CLICKS, 'bench', storeClicks({ sink, now: Date.now, onBatch: () => {} }));
    const storing = (await shipLog(folder, clicks, bus)) / clicks;
    const merging = (await merged(engine.client)) / clicks;
    figure('one process, CPU of the merges that follow, per click', merging, 'us');
    figure('one process, CPU of a click after its redirect', storing + merging, 'us', atMost(12));
  } finally {
    await engine.stop();
  }
}

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
  const bus = kafkaBus({ ...connection, logger, onFatal: fail });
  stops.push(() => bus.stop());
  const folder = path.join(dir, 'click-log');
  await writeLog(folder, COUNT);
  const shipping = stopwatch({ 'the broker': kafka.pid });
  const cpu = (await shipLog(folder, COUNT, bus)) / COUNT;
  figure('shipped to Kafka', shipping.perSecond(COUNT), 'clicks a second');
  figure('shipped to Kafka, CPU per click in the redirector', cpu, 'us');
  shipping.figures('shipped to Kafka', COUNT);

  const reading = await readTopic(connection);
  figure('reference: read and thrown away', reading, 'clicks a second');

  const ingest = spawn(process.execPath, [...process.execArgv, MAIN], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      UV_THREADPOOL_SIZE: '16',
      HOST: '127.0.0.1',
      PORT: String(await freePort()),
      LOG_LEVEL: 'warn',
      KAFKA_BROKERS: connection.brokers[0],
      CLICKHOUSE_URL: `http://127.0.0.1:${clickhouse.port}/waypost`,
    },
  });
  stops.push(() => ingest.kill('SIGKILL'));
  const stored = () => countOf(client, 'waypost.clicks');
  let first = 0;
  for (; first === 0; first = await stored()) await sleep(250);
  // The clock starts with the first batch, so that the time to join the group does not count.
  const ingesting = stopwatch({ 'analytics-ingest': ingest.pid!, ClickHouse: clickhouse.pid, 'the broker': kafka.pid });
  let count = first;
  for (; count < COUNT; count = await stored()) await sleep(250);
  const rate = ingesting.perSecond(count - first);
  figure('ingest into ClickHouse', rate, 'clicks a second', atLeast(150_000));
  ingesting.figures('ingest', count - first);
  figure('ingest, ratio to the reference', rate / reading);
  figure(`rows in ClickHouse, of ${COUNT}`, await countOf(client, 'waypost.clicks FINAL'));
}

async function writeLog(folder: string, clicks: number): Promise<void> {
  const log = openClickLog({ folder, maxBytes: MAX_BYTES, logger });
  const next = clickSource({ clicks, hot: clicks * 0.15, links: 2_500, now: Date.now() });
  for (let i = 1; i <= clicks; i += 1) {
    log.add(next().value);
    if (i % PER_TICK === 0) log.commit();
  }
  await log.close();
}

/** Resolves to the CPU time that this process took, in microseconds. */
async function shipLog(folder: string, clicks: number, bus: Pick<Bus, 'publishEncoded'>): Promise<number> {
  const state = sharedState();
  const cursor = readCursor(folder);
  const log = openClickLog({ folder, maxBytes: MAX_BYTES, logger, state, afterSegment: cursor.segment });
  const began = ownCpu();
  const view = clickLogView({ folder, maxBytes: MAX_BYTES, logger, state });
  const shipper = new Shipper({ log: view, folder, cursor, bus, logger });
  while (shipper.state().shipped < clicks) await sleep(5);
  const cpu = ownCpu() - began;
  await shipper.stop();
  await log.close();
  return cpu;
}

/**
 * Measures the upper bound: the same client reads the same topic and discards the messages. Resolves to clicks a
 * second.
 */
async function readTopic(connection: Connection): Promise<number> {
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
  await new Promise<void>((resolve) => {
    void consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        first ||= performance.now();
        for (const { value } of batch.messages) read += (value?.toString('latin1').match(/\n/g)?.length ?? 0) + 1;
        if (read >= COUNT) resolve();
      },
    });
  });
  const perSecond = (COUNT / (performance.now() - first)) * 1_000;
  await consumer.disconnect();
  return perSecond;
}

/** Measures time and CPU time of these processes from now on. */
function stopwatch(processes: Readonly<Record<string, number>>) {
  const began = performance.now();
  const cpuBefore = Object.values(processes).map((pid) => cpuMs(pid));
  return {
    perSecond: (clicks: number) => (clicks / (performance.now() - began)) * 1_000,
    figures(what: string, clicks: number) {
      for (const [i, [name, pid]] of Object.entries(processes).entries())
        figure(`${what}, CPU per click in ${name}`, ((cpuMs(pid) - cpuBefore[i]!) * 1_000) / clicks, 'us');
    },
  };
}

/** Waits until the engine has finished its merges. Resolves to the CPU time, in microseconds. */
async function merged(client: ClickHouseClient): Promise<number> {
  const began = ownCpu();
  let quiet = 0;
  for (let i = 0; i < 40 && quiet < 4; i += 1) {
    await sleep(500);
    quiet = (await countOf(client, 'system.merges')) === 0 ? quiet + 1 : 0;
  }
  return ownCpu() - began;
}

/** Includes threads that have ended. */
function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function countOf(client: ClickHouseClient, table: string): Promise<number> {
  const result = await client.query({ query: `SELECT count() AS n FROM ${table}`, format: 'JSONEachRow' });
  const [row] = await result.json<{ n: number | string }>();
  return Number(row!.n);
}
