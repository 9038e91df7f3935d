/** This thread only answers visitors, so that no other work of the process delays them. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parentPort, workerData } from 'node:worker_threads';
import type { RedirectRecord, VisitorSecret } from '@waypost/domain';
import type { LinkCache, LinkReader } from '@waypost/ports';
import { callsOver } from '@waypost/process';
import { createLogger, type HealthCheck, type Logger, type PublicReadiness, readiness } from '@waypost/telemetry';
import { sharedState } from '../clicks/log/shared-state.ts';
import { visitorCounts } from '../listener/visitor-counts.ts';
import { createVisitors, type VisitorSettings, type Visitors } from '../listener/visitors.ts';

/** A thread gets a copy, so this contains data alone. */
export interface ThreadSettings<Own = unknown> extends VisitorSettings {
  readonly logLevel: string;
  readonly host: string;
  readonly port: number;
  /** The settings of the thread's adapters. */
  readonly own: Own;
}

export interface ThreadData<Own = unknown> extends ThreadSettings<Own> {
  readonly name: string;
  readonly clickLogState: SharedArrayBuffer;
  readonly counts: SharedArrayBuffer;
}

/** Each thread has its own adapters, so that visitors do not wait behind other work. */
export interface ThreadAdapters {
  readonly cache: LinkCache;
  readonly reader: LinkReader;
  /** The thread's own checks for `/readyz`. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

export interface ThreadKit<Own> {
  readonly own: Own;
  readonly logger: Logger;
  /** `open` registers here how to close its adapters. They are closed in reverse order. */
  readonly stack: AsyncDisposableStack;
}

/** Node measures the delay at this interval, and its results include the interval. */
const DELAY_RESOLUTION_MS = 20;

/** Runs a visitor thread. `open` creates its adapters. */
export function runVisitorThread<Own>(open: (kit: ThreadKit<Own>) => Promise<ThreadAdapters>): void {
  const data = workerData as ThreadData<Own>;
  const logger = createLogger(data.name, data.logLevel);
  const stack = new AsyncDisposableStack();
  let adapters: ThreadAdapters | undefined;
  let visitors: Visitors | undefined;
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delays.enable();
  const delayMs = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - DELAY_RESOLUTION_MS);

  const calls = callsOver(parentPort!, {
    start: async () => {
      adapters = await open({ own: data.own, logger, stack });
      visitors = createVisitors({
        ...data,
        ...adapters,
        readiness: () => calls.call<PublicReadiness>('readiness'),
        clickLogState: sharedState(data.clickLogState),
        counts: visitorCounts(data.counts),
        logger,
        now: Date.now,
      });
      // Without this, the first full collection falls into the first load. Every request may then outlive the young
      // generation, which costs a fifth of the rate (libs/domain/decisions/0042-redirect-cost.md). This flavor also
      // returns the 7 MB of the young generation that the start has used.
      globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
      await visitors.listen(data.port, data.host);
    },
    changed: (records: readonly RedirectRecord[]) => visitors?.changed(records),
    created: (slugs: readonly string[]) => visitors?.created(slugs),
    rotate: (visitorSecret: VisitorSecret) => visitors?.rotate(visitorSecret),
    status: () => visitors?.status(),
    delay: () => {
      const delay = delayMs(delays.percentile(99));
      delays.reset();
      return delay;
    },
    dependencies: async () => (await readiness({ ...adapters?.checks, ...visitors?.checks })).dependencies,
    stop: async () => {
      await visitors?.stop();
      await stack.disposeAsync();
    },
  });
}
