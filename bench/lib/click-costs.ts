/** What a click costs after its redirect: the CPU time of its way from the click log on. */
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { clickhouseClickSink, prepareClickHouse } from '../../libs/adapter-clickhouse/src/index.ts';
import { inProcessBus, startEmbeddedClickHouse } from '../../libs/adapter-embedded/src/index.ts';
import { CLICKS } from '../../libs/domain/src/index.ts';
import type { Bus } from '../../libs/ports/src/index.ts';
import { createLogger } from '../../libs/telemetry/src/index.ts';
import { storeClicks } from '../../services/analytics-ingest/src/consumers/store-clicks.ts';
import { openClickLog } from '../../services/redirector/src/click-log/click-log.ts';
import { readCursor } from '../../services/redirector/src/click-log/cursor.ts';
import { clickLogView } from '../../services/redirector/src/click-log/log-view.ts';
import { sharedState } from '../../services/redirector/src/click-log/shared-state.ts';
import { startShipper } from '../../services/redirector/src/click-log/shipper.ts';
import { clickMaker } from './clicks.ts';
import { atMost, figure } from './goals.ts';

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

/** Microseconds of CPU per click, and of that the merges that follow. */
export async function measureOneProcess(dir: string, clicks: number): Promise<void> {
  const folder = path.join(dir, 'log');
  await writtenLog(folder, clicks);
  const engine = await startEmbeddedClickHouse(path.join(dir, 'engine'));
  try {
    await prepareClickHouse(engine.client, 'waypost');
    const bus = inProcessBus({ park: (_topic, _group, _message, error) => Promise.reject(error), logger });
    const sink = clickhouseClickSink(engine.client, 'waypost');
    await bus.subscribe(CLICKS, 'bench', storeClicks({ sink, now: Date.now, onBatch: () => {} }));
    const storing = (await shipped(folder, clicks, bus)) / clicks;
    const merging = (await settled(engine.client)) / clicks;
    figure('one process, CPU of the merges that follow, per click', merging, 'us');
    figure('one process, CPU of a click after its redirect', storing + merging, 'us', atMost(12));
  } finally {
    await engine.stop();
  }
}

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
