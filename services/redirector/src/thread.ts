/** A thread that only answers visitors, so that no other work of the process delays them. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import type { RedirectRecord, VisitorSecret } from '@waypost/domain';
import type { LinkCache, LinkReader } from '@waypost/ports';
import { callsOver } from '@waypost/process';
import { Stack } from '@waypost/resilience';
import { createLogger, type HealthCheck, type Logger, type PublicReadiness, readiness } from '@waypost/telemetry';
import { sharedState } from './click-log/shared-state.ts';
import { visitorCounts } from './visitor-counts.ts';
import { createVisitors, type VisitorSettings, type Visitors } from './visitors.ts';

/** The data that a thread starts with. */
export interface ThreadData<Own = unknown> {
  readonly name: string;
  readonly logLevel: string;
  readonly host: string;
  readonly port: number;
  /** Several threads listen on one port, and the kernel distributes the connections. */
  readonly sharesPort: boolean;
  readonly visitors: VisitorSettings;
  readonly clickLogState: SharedArrayBuffer;
  readonly counts: SharedArrayBuffer;
  /** Settings of its adapters. */
  readonly own: Own;
}

/** The adapters of a thread. It shares them with nobody, so no other work waits in their queues. */
export interface ThreadAdapters {
  readonly cache: LinkCache;
  readonly reader: LinkReader;
  /** Checks for `/readyz`, besides those of the process. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

export interface ThreadKit<Own> {
  readonly own: Own;
  readonly logger: Logger;
  /** Closes what the adapters open, in reverse order. */
  readonly stack: Stack;
}

/** Node looks this often, and adds it to what it measures. */
const DELAY_RESOLUTION_MS = 20;

/** Runs a visitor thread; its module calls only this. `open` creates the adapters. */
export function runVisitorThread<Own>(open: (kit: ThreadKit<Own>) => Promise<ThreadAdapters>): void {
  const data = workerData as ThreadData<Own>;
  const logger = createLogger(data.name, data.logLevel);
  const stack = new Stack();
  let adapters: ThreadAdapters | undefined;
  let visitors: Visitors | undefined;
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delays.enable();
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - DELAY_RESOLUTION_MS);

  const calls = callsOver(parentPort!, {
    start: async () => {
      adapters = await open({ own: data.own, logger, stack });
      visitors = createVisitors({
        ...data.visitors,
        ...adapters,
        readiness: () => calls.call<PublicReadiness>('readiness'),
        clickLogState: sharedState(data.clickLogState),
        counts: visitorCounts(data.counts),
        logger,
        now: Date.now,
      });
      await visitors.listen(data.port, data.host, data.sharesPort);
    },
    changed: (records: readonly RedirectRecord[]) => visitors?.changed(records),
    made: (slugs: readonly string[]) => visitors?.made(slugs),
    rotate: (visitorSecret: VisitorSecret) => visitors?.rotate(visitorSecret),
    status: () => visitors?.status(),
    delay: () => {
      const delay = delayMs(delays.percentile(99));
      delays.reset();
      return delay;
    },
    dependencies: async () => (await readiness(adapters?.checks ?? {})).dependencies,
    stop: async () => {
      await visitors?.stop();
      await stack.unwind();
    },
  });
}
