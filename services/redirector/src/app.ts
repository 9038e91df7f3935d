/**
 * The redirector. Its visitor threads do everything that a visitor waits for. The main thread sends the clicks to the
 * bus and serves health checks and metrics.
 */
import path from 'node:path';
import type { RedirectRecord, VisitorSecret } from '@waypost/domain';
import type { Bus } from '@waypost/ports';
import { assertPortIsFree } from '@waypost/process';
import { cachedReadiness, type DependencyState, type HealthCheck, type Logger } from '@waypost/telemetry';
import { openClickLog } from './clicks/log/click-log.ts';
import { readCursor } from './clicks/log/cursor.ts';
import { threadFolders } from './clicks/log/log-files.ts';
import { clickLogView } from './clicks/log/log-view.ts';
import { pace } from './clicks/log/pace.ts';
import { sharedState } from './clicks/log/shared-state.ts';
import { Shipper } from './clicks/log/shipper.ts';
import { visitorFigures } from './listener/visitor-counts.ts';
import { VISITOR_PROXIES } from './listener/visitors.ts';
import { clickLogHealth, type RedirectorStatus, sum, totalStatus } from './status.ts';
import type { ThreadSettings } from './threads/run-thread.ts';
import { VisitorThread } from './threads/visitor-thread.ts';

export interface RedirectorDeps<Own = unknown> extends ThreadSettings<Own> {
  readonly bus: Pick<Bus, 'publishEncoded'>;
  /** The number of threads that answer visitors; they share the port. */
  readonly threads: number;
  /** This module calls `runVisitorThread`. */
  readonly threadModule: URL;
  /** The names of the dependencies that every thread checks for `/readyz`. */
  readonly threadDependencies: readonly string[];
  /** Checks for `/readyz` that run in the main thread. */
  readonly health?: Readonly<Record<string, HealthCheck>>;
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export type Redirector = ReturnType<typeof createRedirector>;

export function createRedirector<Own>(deps: RedirectorDeps<Own>) {
  // The settings cross to the threads as they are. The others are functions, which cannot.
  const { bus, threadModule, health, logger, now, ...settings } = deps;
  const { clickLogDir } = settings;
  const maxBytes = Math.floor(settings.clickLogMaxBytes / settings.threads);
  let threads: readonly VisitorThread[] = [];
  const shippers: Shipper[] = [];
  // The operator commands of a stopped Waypost start no thread, so nobody could answer these checks.
  const namesPerThread = settings.threads === 0 ? [] : [...settings.threadDependencies, VISITOR_PROXIES];
  const perThread = Object.fromEntries(
    namesPerThread.map((name) => [name, { required: false, check: () => dependency(name) }]),
  );
  const checks = {
    click_log: { required: false, check: async () => clickLogHealth(await status()) },
    ...perThread,
    ...health,
  };
  const ready = cachedReadiness(checks);

  /** Resolves once the threads listen. Clicks that an earlier run left in the log are sent first. */
  async function start(): Promise<void> {
    await assertPortIsFree(settings.port, settings.host);
    threads = Array.from({ length: settings.threads }, (_, i) => {
      const data = {
        ...settings,
        name: `redirect-thread-${i + 1}`,
        clickLogDir: i === 0 ? clickLogDir : path.join(clickLogDir, `thread-${i + 1}`),
        clickLogMaxBytes: maxBytes,
      };
      return new VisitorThread({ module: threadModule, data, readiness: ready.public, logger });
    });
    await Promise.all(threads.map((one) => one.start()));
    for (const one of threads) {
      const { clickLogDir: folder, clickLogState: state } = one;
      const rest = pace((...args) => one.utilization(...args));
      ship(folder, clickLogView({ folder, maxBytes, state, logger }), rest);
    }
    for (const folder of abandonedLogs()) await shipAbandoned(folder);
  }

  function ship(folder: string, log: ReturnType<typeof clickLogView>, rest?: () => Promise<void>): void {
    shippers.push(new Shipper({ log, folder, cursor: readCursor(folder), bus, logger, pace: rest }));
  }

  /** Returns the logs of threads that no longer exist because `REDIRECT_WORKERS` was lowered. */
  function abandonedLogs(): string[] {
    const used = new Set(threads.map((one) => one.clickLogDir));
    return threadFolders(clickLogDir).filter((folder) => !used.has(folder));
  }

  async function shipAbandoned(folder: string): Promise<void> {
    const state = sharedState();
    const cursor = readCursor(folder);
    // Opening the log removes an incomplete frame at its end and finds its position.
    await openClickLog({ folder, maxBytes, logger, state, afterSegment: cursor.segment }).close();
    ship(folder, clickLogView({ folder, maxBytes, state, logger }));
  }

  async function dependency(name: string): Promise<DependencyState> {
    const states = await Promise.all(threads.map(async (one) => (await one.dependencies())[name]));
    return states.find((state) => state?.ok === false) ?? states[0] ?? { ok: false, detail: 'not known' };
  }

  /** Resolves to the sums over all threads, for metrics. Rejects while a thread does not answer. */
  async function status(): Promise<RedirectorStatus> {
    const visitors = await Promise.all(threads.map((one) => one.status()));
    const shipping = shippers.map((shipper) => shipper.state());
    // A thread that ended has no status, but its count is in shared memory.
    const captured = sum(threads, ({ clickLogState }) => clickLogState.captured());
    return { ...totalStatus(visitors, shipping, now()), captured, maxBytes: settings.clickLogMaxBytes };
  }

  return {
    checks,
    status,
    /** `busyMs` says for each thread how long its event loop worked. */
    visited: () => ({
      ...visitorFigures(threads.map(({ counts }) => counts)),
      busyMs: threads.map((one) => one.utilization().active),
    }),
    /** The 0.99 quantile of the event-loop delay of each thread since the last call, in milliseconds. */
    delays: () => Promise.all(threads.map((one) => one.delay())),
    start,
    /** Once it resolves, no visitor gets an answer from an older version of these links. */
    changed: async (records: readonly RedirectRecord[]) =>
      void (await Promise.all(threads.map((one) => one.changed(records)))),
    /** Once it resolves, visitors find these new links. */
    created: async (slugs: readonly string[]) => void (await Promise.all(threads.map((one) => one.created(slugs)))),
    /** Once it resolves, every new click has a visitor hash made with this secret. */
    rotate: async (visitorSecret: VisitorSecret) =>
      void (await Promise.all(threads.map((one) => one.rotate(visitorSecret)))),
    /** Answers pending requests, writes and syncs every click, then stops sending clicks to the bus. */
    async stop(): Promise<void> {
      await Promise.all(threads.map((one) => one.stop()));
      await Promise.all(shippers.map((shipper) => shipper.stop()));
    },
  };
}
