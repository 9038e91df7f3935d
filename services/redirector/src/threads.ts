/** Starts the threads that answer visitors, notifies them of changed links, and replaces them when they die. */
import { Worker } from 'node:worker_threads';
import type { RedirectRecord, VisitorSecret } from '@waypost/domain';
import { type Calls, callsOver } from '@waypost/process';
import { type BackOff, backOffMs, rest } from '@waypost/resilience';
import { type DependencyState, errorFields, type Logger, type PublicReadiness } from '@waypost/telemetry';
import { type SharedState, sharedState } from './click-log/shared-state.ts';
import type { ThreadData } from './thread.ts';
import { type VisitorCounts, visitorCounts } from './visitor-counts.ts';
import type { VisitorStatus } from './visitors.ts';

export interface VisitorThread {
  readonly name: string;
  readonly clickLogDir: string;
  readonly clickLogState: SharedState;
  readonly counts: VisitorCounts;
  /** How busy visitors keep it, as in `performance.eventLoopUtilization`. */
  readonly utilization: typeof performance.eventLoopUtilization;
  /** Resolves when it listens. */
  start(): Promise<void>;
  status(): Promise<VisitorStatus>;
  /** How late its event loop was since this was last asked: the 0.99 quantile, in ms. */
  delay(): Promise<number>;
  /** The state of its adapters' dependencies, by name. */
  dependencies(): Promise<Readonly<Record<string, DependencyState>>>;
  /** Once it resolves, the thread uses no older version of these links; if it does not confirm, it is terminated. */
  changed(records: readonly RedirectRecord[]): Promise<void>;
  /** Announces new links. Never rejects: a thread that misses the message finds them within a second. */
  made(slugs: readonly string[]): Promise<void>;
  /** Once it resolves, the thread uses the new secret; if it does not confirm, it is terminated. */
  rotate(visitorSecret: VisitorSecret): Promise<void>;
  /** Answers pending requests, then ends the thread. */
  stop(): Promise<void>;
}

export interface ThreadOptions {
  /** The module of the thread, which calls `runVisitorThread`. */
  readonly module: URL;
  readonly data: Omit<ThreadData, 'clickLogState' | 'counts'>;
  readonly readiness: () => Promise<PublicReadiness>;
  readonly logger: Logger;
}

/**
 * One pause of the garbage collection may have to copy a third of this, because many connections at once fill it with
 * live objects. With Node's default of 48 MB, visitors waited 25 ms.
 */
const YOUNG_GENERATION_MB = 12;
const START_WITHIN_MS = 60_000;
/** A thread that takes longer to confirm a change does not answer visitors either. */
const CONFIRM_WITHIN_MS = 2_000;
const STOP_WITHIN_MS = 5_000;
const RESTART_PAUSE: BackOff = { first: 50, most: 5_000 };

export function visitorThread({ module, data, readiness, logger }: ThreadOptions): VisitorThread {
  const { name } = data;
  const clickLogState = sharedState();
  let { visitorSecret } = data.visitors;
  const counts = visitorCounts();
  let current = run();
  let stopping = false;
  let deaths = 0;

  interface Running {
    readonly worker: Worker;
    readonly calls: Calls;
    /** Resolves once it listens. */
    readonly listens: Promise<void>;
  }

  function run(): Running {
    const worker = new Worker(module, {
      workerData: {
        ...data,
        visitors: { ...data.visitors, visitorSecret },
        clickLogState: clickLogState.buffer,
        counts: counts.buffer,
      },
      name,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const calls = callsOver(worker, { readiness });
    worker.on('error', (error) => logger.error(`${name} failed`, errorFields(error)));
    worker.once('exit', () => calls.end(new Error(`${name} has ended`)));
    const listens = calls.call('start', undefined, START_WITHIN_MS);
    // Replace only a thread that has listened: if the first start fails, a second one fails too.
    listens.then(
      () => worker.once('exit', () => void replace()),
      () => worker.terminate(),
    );
    return { worker, calls, listens };
  }

  /** The new thread continues the same click log. */
  async function replace(): Promise<void> {
    while (!stopping) {
      logger.error(`${name} ended; starting it again`);
      deaths += 1;
      await rest(backOffMs(RESTART_PAUSE, deaths));
      if (stopping) return;
      current = run();
      try {
        return await current.listens;
      } catch (error) {
        logger.error(`${name} could not be started`, errorFields(error));
      }
    }
  }

  /** Resolves once the thread has confirmed, or has ended: the one that replaces it has it from its start. */
  async function confirmed(call: string, argument: unknown, what: string): Promise<void> {
    const { calls, worker, listens } = current;
    // A starting thread may have read older versions already; one whose start failed never will.
    const [started] = await Promise.allSettled([listens]);
    if (started.status === 'rejected') return;
    await calls.call(call, argument, CONFIRM_WITHIN_MS).catch(async (error: unknown) => {
      if (stopping) return;
      logger.error(`${name} did not confirm and is terminated, for ${what}`, errorFields(error));
      await worker.terminate();
    });
  }

  return {
    name,
    clickLogDir: data.visitors.clickLogDir,
    clickLogState,
    counts,
    utilization: (...args) => current.worker.performance.eventLoopUtilization(...args),
    start: () => current.listens,
    status: () => current.calls.call<VisitorStatus>('status'),
    delay: () => current.calls.call<number>('delay'),
    dependencies: () => current.calls.call<Readonly<Record<string, DependencyState>>>('dependencies'),
    made: (slugs) => current.calls.call<void>('made', slugs).catch(() => undefined),
    changed: (records) => confirmed('changed', records, 'changed links: it might redirect by older versions'),
    async rotate(next) {
      visitorSecret = next;
      await confirmed('rotate', next, 'the new visitor secret: it might use the earlier one');
    },
    async stop() {
      stopping = true;
      const { calls, worker } = current;
      await calls
        .call('stop', undefined, STOP_WITHIN_MS)
        .catch((error: unknown) => logger.error(`${name} did not stop cleanly`, errorFields(error)));
      await worker.terminate();
    },
  };
}
