/** A thread that answers visitors and does nothing else, so that no other work of the process delays them. */
import { parentPort, workerData } from 'node:worker_threads';
import type { RedirectRecord } from '@waypost/domain';
import type { LinkCache, LinkReader } from '@waypost/ports';
import { callsOver, listen } from '@waypost/process';
import { Stack } from '@waypost/resilience';
import { createLogger, type HealthCheck, type Logger, type PublicReadiness, readiness } from '@waypost/telemetry';
import { sharedState } from './click-log/shared-state.ts';
import { createVisitors, type VisitorSettings, type Visitors } from './visitors.ts';

/** What a thread is started with. */
export interface ThreadData<Own = unknown> {
  readonly name: string;
  readonly logLevel: string;
  readonly host: string;
  readonly port: number;
  /** Several threads listen on one port, and the kernel shares the connections out. */
  readonly sharesPort: boolean;
  readonly visitors: VisitorSettings;
  readonly clickLogState: SharedArrayBuffer;
  /** What its adapters need. */
  readonly own: Own;
}

/** The adapters of a thread, which are its own: no other work waits in their queues. */
export interface ThreadAdapters {
  readonly cache: LinkCache;
  readonly reader: LinkReader;
  /** What `/readyz` tells of, beside what the process knows. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

export interface ThreadKit<Own> {
  readonly own: Own;
  readonly logger: Logger;
  /** What the adapters open, to be closed in reverse. */
  readonly stack: Stack;
}

/** The whole of a thread's module: `open` makes its adapters. */
export function runVisitorThread<Own>(open: (kit: ThreadKit<Own>) => Promise<ThreadAdapters>): void {
  const data = workerData as ThreadData<Own>;
  const logger = createLogger(data.name, data.logLevel);
  const stack = new Stack();
  let adapters: ThreadAdapters | undefined;
  let visitors: Visitors | undefined;

  const calls = callsOver(parentPort!, {
    start: async () => {
      adapters = await open({ own: data.own, logger, stack });
      visitors = createVisitors({
        ...data.visitors,
        ...adapters,
        readiness: () => calls.call<PublicReadiness>('readiness'),
        clickLogState: sharedState(data.clickLogState),
        logger,
        now: Date.now,
      });
      await listen(visitors.server, data.port, data.host, { reusePort: data.sharesPort });
    },
    /** Links that changed: when this is answered, the thread answers by no older version. */
    changed: (records: readonly RedirectRecord[]) => adapters?.cache.replace(records),
    made: (slugs: readonly string[]) => visitors?.made(slugs),
    status: () => visitors?.status(),
    dependencies: async () => (await readiness(adapters?.checks ?? {})).dependencies,
    stop: async () => {
      await visitors?.stop();
      await stack.unwind();
    },
  });
}
