/**
 * Where the CPU time of a click goes after its redirect, in the one process: the same click log through ever longer
 * parts of its way. A stage costs what its way costs more than the one before.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clickhouseClickSink, prepareClickHouse } from '../../libs/adapter-clickhouse/src/index.ts';
import { inProcessBus, startEmbeddedClickHouse } from '../../libs/adapter-embedded/src/index.ts';
import { CLICKS } from '../../libs/domain/src/index.ts';
import type { Bus, ClickSink } from '../../libs/ports/src/index.ts';
import { createLogger } from '../../libs/telemetry/src/index.ts';
import { storeClicks } from '../../services/analytics-ingest/src/consumers/store-clicks.ts';
import { openClickLog } from '../../services/redirector/src/click-log/click-log.ts';
import { readCursor } from '../../services/redirector/src/click-log/cursor.ts';
import { clickLogView } from '../../services/redirector/src/click-log/log-view.ts';
import { sharedState } from '../../services/redirector/src/click-log/shared-state.ts';
import { startShipper } from '../../services/redirector/src/click-log/shipper.ts';
import { clickMaker } from './clicks.ts';
import { atMost, figure, type Goal } from './goals.ts';
import { median } from './product.ts';

type ClickHouseClient = Parameters<typeof clickhouseClickSink>[0];

const logger = createLogger('bench', 'error');
const MAX_BYTES = 2 ** 32;
/** Clicks of one event-loop tick of a busy redirector. */
const PER_TICK = 20;

/** CPU time of this process with all its threads, in microseconds. */
function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** A click log with `clicks` that nobody has shipped. */
export async function writtenLog(folder: string, clicks: number): Promise<void> {
  const log = openClickLog({ folder, maxBytes: MAX_BYTES, logger });
  const next = clickMaker({ clicks, hot: clicks * 0.15, links: 2_500, now: Date.now() });
  for (let made = 1; made <= clicks; made += 1) {
    log.add(next().value);
    if (made % PER_TICK === 0) log.commit();
  }
  await log.close();
}

/** Ships the whole log. Resolves to the CPU time that this process took, in microseconds. */
export async function shipped(folder: string, clicks: number, bus: Pick<Bus, 'publishEncoded'>): Promise<number> {
  const state = sharedState();
  const cursor = readCursor(folder);
  const log = openClickLog({ folder, maxBytes: MAX_BYTES, logger, state, afterSegment: cursor.segment });
  const began = cpuMicros();
  const view = clickLogView({ folder, maxBytes: MAX_BYTES, logger, state });
  const shipper = startShipper({ log: view, folder, cursor, bus, logger });
  while (shipper.state().shipped < clicks) await sleep(5);
  const took = cpuMicros() - began;
  await shipper.stop();
  await log.close();
  return took;
}

async function busTo(sink: ClickSink | undefined): Promise<Bus> {
  const bus = inProcessBus({ park: (_topic, _group, _message, error) => Promise.reject(error), logger });
  const handler = sink ? storeClicks({ sink, now: Date.now, onBatch: () => {} }) : async () => {};
  await bus.subscribe(CLICKS, 'bench', handler);
  return bus;
}

/** Takes rows and stores nothing. */
const discarding = {
  async insert({ values }: { values: readonly object[] }) {
    values.map((row) => `${JSON.stringify(row)}\n`).join('');
  },
} as unknown as ClickHouseClient;

/** Microseconds of CPU per click, stage by stage. */
export async function measureStages(dir: string, clicks: number): Promise<void> {
  const original = path.join(dir, 'log');
  await writtenLog(original, clicks);
  const engine = await startEmbeddedClickHouse(path.join(dir, 'engine'));
  try {
    await prepareClickHouse(engine.client, 'waypost');
    const ways: readonly (readonly [stage: string, bus: Pick<Bus, 'publishEncoded'>])[] = [
      ['read the click log', { publishEncoded: async () => {} }],
      ['bus and decoding', await busTo(undefined)],
      ['enriching', await busTo({ store: async () => {} })],
      ['encoding rows', await busTo(clickhouseClickSink(discarding, 'waypost'))],
      ['insert', await busTo(clickhouseClickSink(engine.client, 'waypost'))],
    ];
    const run = async (bus: Pick<Bus, 'publishEncoded'>) => {
      const folder = await mkdtemp(`${original}-`);
      await cp(original, folder, { recursive: true });
      try {
        return (await shipped(folder, clicks, bus)) / clicks;
      } finally {
        await rm(folder, { recursive: true });
      }
    };
    let before = 0;
    for (const [stage, bus] of ways) {
      const isInsert = stage === 'insert';
      if (!isInsert) await run(bus); // compiled by then
      const costs = isInsert ? [await run(bus)] : [await run(bus), await run(bus), await run(bus)];
      const cost = median(costs);
      cpuOf(stage, cost - before);
      before = cost;
    }
    const merging = (await settled(engine.client)) / clicks;
    cpuOf('merges that follow', merging);
    cpuOf('a click after its redirect', before + merging, atMost(12));
    const events = await eventsOf(engine.client);
    figure('one process, parts written by inserts', events.get('InsertQuery') ?? 0);
    figure('one process, merges', events.get('Merge') ?? 0);
    figure('one process, rows merged per row', (events.get('MergedRows') ?? 0) / clicks);
  } finally {
    await engine.stop();
  }
}

const cpuOf = (stage: string, us: number, goal?: Goal) =>
  figure(`one process, CPU per click: ${stage}`, us, 'us', goal);

/** Waits until the engine has merged what it wants to. Resolves to the CPU time. */
async function settled(client: ClickHouseClient): Promise<number> {
  const began = cpuMicros();
  let quiet = 0;
  for (let i = 0; i < 40 && quiet < 4; i += 1) {
    await sleep(500);
    const result = await client.query({ query: 'SELECT count() AS n FROM system.merges', format: 'JSONEachRow' });
    const [row] = await result.json<{ n: number | string }>();
    quiet = Number(row!.n) === 0 ? quiet + 1 : 0;
  }
  return cpuMicros() - began;
}

async function eventsOf(client: ClickHouseClient): Promise<ReadonlyMap<string, number>> {
  const query = "SELECT event, value FROM system.events WHERE event IN ('InsertQuery', 'Merge', 'MergedRows')";
  const rows = await (await client.query({ query, format: 'JSONEachRow' })).json<{ event: string; value: string }>();
  return new Map(rows.map(({ event, value }) => [event, Number(value)]));
}
