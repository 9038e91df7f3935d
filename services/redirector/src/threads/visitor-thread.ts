/** Starts the threads that answer visitors, tells them about changed links, and replaces a thread that ends. */
import type { EventLoopUtilization } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import type { RedirectRecord, VisitorSecret } from '@waypost/domain';
import { type Calls, callsOver } from '@waypost/process';
import { type BackOff, backOffMs, rest } from '@waypost/resilience';
import { type DependencyState, errorFields, type Logger, type PublicReadiness } from '@waypost/telemetry';
import { type SharedState, sharedState } from '../clicks/log/shared-state.ts';
import { type VisitorCounts, visitorCounts } from '../listener/visitor-counts.ts';
import type { VisitorStatus } from '../listener/visitors.ts';
import type { ThreadData } from './run-thread.ts';

export interface ThreadOptions {
  /** This module calls `runVisitorThread`. */
  readonly module: URL;
  readonly data: Omit<ThreadData, 'clickLogState' | 'counts'>;
  readonly readiness: () => Promise<PublicReadiness>;
  readonly logger: Logger;
}

/**
 * One garbage collection may copy a third of this, because many open connections fill it with live objects. With Node's
 * default of 48 MB, visitors waited 25 ms.
 */
const YOUNG_GENERATION_MB = 12;
const START_WITHIN_MS = 60_000;
/** A thread that takes longer to confirm a change does not answer visitors either. */
const CONFIRM_WITHIN_MS = 2_000;
const STOP_WITHIN_MS = 5_000;
const RESTART_PAUSE: BackOff = { first: 50, most: 5_000 };

interface Running {
  readonly worker: Worker;
  readonly calls: Calls;
  readonly listens: Promise<void>;
}

/** Keeps one thread running. When it ends, a new thread continues with the same click log. */
export class VisitorThread {
  readonly clickLogDir: string;
  readonly clickLogState: SharedState = sharedState();
  readonly counts: VisitorCounts = visitorCounts();
  readonly #options: ThreadOptions;
  #visitorSecret: VisitorSecret;
  #current: Running;
  #stopping = false;
  #deaths = 0;

  constructor(options: ThreadOptions) {
    this.#options = options;
    this.clickLogDir = options.data.clickLogDir;
    this.#visitorSecret = options.data.visitorSecret;
    this.#current = this.#run();
  }

  start(): Promise<void> {
    return this.#current.listens;
  }

  utilization(...args: Parameters<typeof performance.eventLoopUtilization>): EventLoopUtilization {
    return this.#current.worker.performance.eventLoopUtilization(...args);
  }

  status(): Promise<VisitorStatus> {
    return this.#current.calls.call('status');
  }

  /** Resolves to the 0.99 quantile of its event-loop delay since the last call, in milliseconds. */
  delay(): Promise<number> {
    return this.#current.calls.call('delay');
  }

  dependencies(): Promise<Readonly<Record<string, DependencyState>>> {
    return this.#current.calls.call('dependencies');
  }

  /** Reports new links. Never rejects: a thread that misses the message finds them within a second. */
  created(slugs: readonly string[]): Promise<void> {
    return this.#current.calls.call<void>('created', slugs).catch(() => undefined);
  }

  /** Once it resolves, the thread uses no older version of these links. */
  changed(records: readonly RedirectRecord[]): Promise<void> {
    return this.#confirmed('changed', records, 'changed links: it might redirect by older versions');
  }

  /** Once it resolves, the thread uses the new secret. */
  rotate(visitorSecret: VisitorSecret): Promise<void> {
    this.#visitorSecret = visitorSecret;
    return this.#confirmed('rotate', visitorSecret, 'the new visitor secret: it might use the earlier one');
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const { calls, worker } = this.#current;
    await calls
      .call('stop', undefined, STOP_WITHIN_MS)
      .catch((error: unknown) => this.#report('did not stop cleanly', error));
    await worker.terminate();
  }

  #run(): Running {
    const { module, data, readiness } = this.#options;
    const worker = new Worker(module, {
      workerData: {
        ...data,
        visitorSecret: this.#visitorSecret,
        clickLogState: this.clickLogState.buffer,
        counts: this.counts.buffer,
      },
      name: data.name,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const calls = callsOver(worker, { readiness });
    worker.on('error', (error) => this.#report('failed', error));
    worker.once('exit', () => calls.end(new Error(`${data.name} has ended`)));
    const listens = calls.call<void>('start', undefined, START_WITHIN_MS);
    // Only a thread that has listened is replaced. If its first start fails, a second start would fail, too.
    listens.then(
      () => worker.once('exit', () => void this.#replace()),
      () => worker.terminate(),
    );
    return { worker, calls, listens };
  }

  async #replace(): Promise<void> {
    while (!this.#stopping) {
      this.#options.logger.error(`${this.#options.data.name} stopped unexpectedly; restarting it`);
      this.#deaths += 1;
      await rest(backOffMs(RESTART_PAUSE, this.#deaths));
      if (this.#stopping) return;
      this.#current = this.#run();
      try {
        return await this.#current.listens;
      } catch (error) {
        this.#report('could not be started', error);
      }
    }
  }

  /**
   * Resolves once the thread has confirmed the change or has ended. A new thread starts with the change. A thread that
   * does not confirm in time is terminated.
   */
  async #confirmed(call: string, argument: unknown, what: string): Promise<void> {
    const { calls, worker, listens } = this.#current;
    // A thread that is starting may have read older versions, so wait for it. A thread that failed to start uses none.
    const [started] = await Promise.allSettled([listens]);
    if (started.status === 'rejected') return;
    await calls.call(call, argument, CONFIRM_WITHIN_MS).catch(async (error: unknown) => {
      if (this.#stopping) return;
      this.#report(`did not confirm and is terminated, for ${what}`, error);
      await worker.terminate();
    });
  }

  #report(what: string, error: unknown): void {
    this.#options.logger.error(`${this.#options.data.name} ${what}`, errorFields(error));
  }
}
