/** The threads that answer visitors: started, told of changed links, and replaced when they die. */
import net from 'node:net';
import { Worker } from 'node:worker_threads';
import type { RedirectRecord } from '@waypost/domain';
import { type Calls, callsOver } from '@waypost/process';
import { type DependencyState, errorFields, type Logger, type PublicReadiness } from '@waypost/telemetry';
import { type SharedState, sharedState } from './click-log/shared-state.ts';
import type { ThreadData } from './thread.ts';
import type { VisitorStatus } from './visitors.ts';

export interface VisitorThread {
  readonly name: string;
  readonly clickLogDir: string;
  readonly clickLogState: SharedState;
  /** How busy visitors keep it, as `performance.eventLoopUtilization` tells. */
  readonly utilization: typeof performance.eventLoopUtilization;
  /** Resolves when it listens. */
  start(): Promise<void>;
  status(): Promise<VisitorStatus>;
  /** The state of what its adapters need, by name. */
  dependencies(): Promise<Readonly<Record<string, DependencyState>>>;
  /** When it resolves, the thread answers by no older version of these links, if need be because it was ended. */
  changed(records: readonly RedirectRecord[]): Promise<void>;
  /** These links were made just now. Never rejects: a thread that is not told finds them within a second. */
  made(slugs: readonly string[]): Promise<void>;
  /** Answers what is under way, then ends the thread. */
  stop(): Promise<void>;
}

export interface ThreadOptions {
  /** The module of the thread: it calls `runVisitorThread`. */
  readonly module: URL;
  readonly data: Omit<ThreadData, 'clickLogState'>;
  readonly readiness: () => Promise<PublicReadiness>;
  readonly logger: Logger;
}

/**
 * A third of it is what one pause of its garbage collection may have to copy: many connections at once fill it with what
 * still lives. With the 48 MB that Node takes by itself visitors waited 25 ms for it.
 */
const YOUNG_GENERATION_MB = 12;
const START_WITHIN_MS = 60_000;
/** A thread that does not answer for so long answers no visitor either. */
const TELL_WITHIN_MS = 2_000;
const STOP_WITHIN_MS = 5_000;
const FIRST_RESTART_MS = 50;
const LAST_RESTART_MS = 5_000;

export function visitorThread({ module, data, readiness, logger }: ThreadOptions): VisitorThread {
  const { name } = data;
  const clickLogState = sharedState();
  let life = begin();
  let stopping = false;
  let deaths = 0;

  interface Life {
    readonly worker: Worker;
    readonly calls: Calls;
    /** Resolves when it listens. */
    readonly listens: Promise<void>;
  }

  function begin(): Life {
    const worker = new Worker(module, {
      workerData: { ...data, clickLogState: clickLogState.buffer },
      name,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const calls = callsOver(worker, { readiness });
    worker.on('error', (error) => logger.error(`${name} failed`, errorFields(error)));
    worker.once('exit', () => calls.end(new Error(`${name} has ended`)));
    const listens = calls.call('start', undefined, START_WITHIN_MS);
    // Only one that listened is replaced: why a first start fails, a second does not mend.
    listens.then(
      () => worker.once('exit', () => void replace()),
      () => worker.terminate(),
    );
    return { worker, calls, listens };
  }

  /** Its click log stays where it is. */
  async function replace(): Promise<void> {
    while (!stopping) {
      logger.error(`${name} ended; starting it again`);
      await new Promise((resolve) => setTimeout(resolve, Math.min(LAST_RESTART_MS, FIRST_RESTART_MS * 2 ** deaths)));
      deaths = Math.min(deaths + 1, 16);
      if (stopping) return;
      life = begin();
      try {
        return await life.listens;
      } catch (error) {
        logger.error(`${name} could not be started`, errorFields(error));
      }
    }
  }

  return {
    name,
    clickLogDir: data.visitors.clickLogDir,
    clickLogState,
    utilization: (...args) => life.worker.performance.eventLoopUtilization(...args),
    start: () => life.listens,
    status: () => life.calls.call<VisitorStatus>('status'),
    dependencies: () => life.calls.call<Readonly<Record<string, DependencyState>>>('dependencies'),
    made: (slugs) => life.calls.call<void>('made', slugs).catch(() => undefined),
    async changed(records) {
      const { calls, worker, listens } = life;
      // One that starts may have begun to read; one whose start failed never will.
      if (
        !(await listens.then(
          () => true,
          () => false,
        ))
      )
        return;
      await calls.call('changed', records, TELL_WITHIN_MS).catch(async (error: unknown) => {
        if (stopping) return;
        logger.error(`${name} is ended: it may redirect by links that have changed`, errorFields(error));
        await worker.terminate();
      });
    },
    async stop() {
      stopping = true;
      const { calls, worker } = life;
      await calls
        .call('stop', undefined, STOP_WITHIN_MS)
        .catch((error: unknown) => logger.error(`${name} did not stop in order`, errorFields(error)));
      await worker.terminate();
    },
  };
}

/** Threads that share a port do not notice that another program has it: this does. */
export async function assertPortIsFree(port: number, host: string): Promise<void> {
  const probe = net.createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} on ${host} is in use by another program`) : error),
    );
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}
