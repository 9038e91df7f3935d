/**
 * The redirector: threads that answer visitors, and shippers that send their clicks to the bus. Everything that a
 * visitor waits for runs in those threads; shipping, health and metrics run in the main thread.
 */
import path from 'node:path';
import type { RedirectRecord, VisitorSecret } from '@waypost/domain';
import type { Bus } from '@waypost/ports';
import { assertPortIsFree } from '@waypost/process';
import { cachedReadiness, type DependencyState, type HealthCheck, type Logger } from '@waypost/telemetry';
import { openClickLog } from './click-log/click-log.ts';
import { readCursor } from './click-log/cursor.ts';
import { threadFolders } from './click-log/log-files.ts';
import { clickLogView } from './click-log/log-view.ts';
import { pace } from './click-log/pace.ts';
import { sharedState } from './click-log/shared-state.ts';
import { type Shipper, type ShipperState, startShipper } from './click-log/shipper.ts';
import type { ThreadData } from './thread.ts';
import { type VisitorThread, visitorThread } from './threads.ts';
import { type VisitorFigures, visitorFigures } from './visitor-counts.ts';
import type { VisitorSettings, VisitorStatus } from './visitors.ts';

export interface RedirectorDeps<Own = unknown> extends VisitorSettings {
  readonly bus: Pick<Bus, 'publishEncoded'>;
  /** The number of threads that answer visitors; they share the port. */
  readonly threads: number;
  /** The module of a thread, which calls `runVisitorThread`. */
  readonly threadModule: URL;
  /** Settings of the thread's adapters. */
  readonly own: Own;
  readonly host: string;
  readonly port: number;
  /** Dependencies of the threads' adapters; `/readyz` reports each. */
  readonly threadDependencies: readonly string[];
  /** Further checks for `/readyz`. */
  readonly health?: Readonly<Record<string, HealthCheck>>;
  readonly logger: Logger;
  readonly logLevel: string;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export interface Redirector {
  /** Resolves once the threads listen. Ships clicks, those of earlier runs first. */
  start(): Promise<void>;
  /** Once it resolves, no visitor gets an answer from an older version of these links. */
  changed(records: readonly RedirectRecord[]): Promise<void>;
  /** Once it resolves, visitors find these new links. */
  made(slugs: readonly string[]): Promise<void>;
  /** Once it resolves, all clicks carry the hash by this secret. */
  rotate(visitorSecret: VisitorSecret): Promise<void>;
  /** Answers pending requests, writes and syncs every click, stops the shippers. */
  stop(): Promise<void>;
  /** The checks that `/readyz` reports. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  /** For metrics: the sums over all threads. Rejects while a thread does not answer. */
  status(): Promise<RedirectorStatus>;
  /** What all threads did for visitors, and how long the event loop of each worked. */
  visited(): VisitorFigures & { readonly busyMs: readonly number[] };
  /** How late the event loop of each thread was since this was last asked: the 0.99 quantile, in ms. */
  delays(): Promise<number[]>;
}

export interface RedirectorStatus extends VisitorStatus, Omit<ShipperState, 'problem' | 'oldestUnsentAt'> {
  /** Age of the oldest click that the bus has not acknowledged. */
  readonly oldestUnsentMs: number;
  readonly shippingProblem: string | undefined;
}

export function createRedirector<Own>(deps: RedirectorDeps<Own>): Redirector {
  const { bus, clickLogDir, logger, now } = deps;
  const maxBytes = Math.floor(deps.clickLogMaxBytes / deps.threads);
  let threads: readonly VisitorThread[] = [];
  const shippers: Shipper[] = [];
  const perThread = Object.fromEntries(
    deps.threadDependencies.map((name) => [name, { required: false, check: () => dependency(name) }]),
  );
  const checks = { click_log: { required: false, check: clickLogCheck }, ...perThread, ...deps.health };
  const ready = cachedReadiness(checks);

  async function start(): Promise<void> {
    await assertPortIsFree(deps.port, deps.host);
    threads = Array.from({ length: deps.threads }, (_, i) => thread(i));
    await Promise.all(threads.map((one) => one.start()));
    for (const { clickLogDir: folder, clickLogState: state, utilization } of threads) {
      ship(folder, clickLogView({ folder, maxBytes, state, logger }), pace(utilization));
    }
    for (const folder of abandonedLogs()) await shipAbandoned(folder);
  }

  function thread(i: number): VisitorThread {
    const folder = i === 0 ? clickLogDir : path.join(clickLogDir, `thread-${i + 1}`);
    const visitors: VisitorSettings = {
      clickLogDir: folder,
      clickLogMaxBytes: maxBytes,
      visitorSecret: deps.visitorSecret,
      redirectBaseUrl: deps.redirectBaseUrl,
      reportBaseUrl: deps.reportBaseUrl,
      trustedProxies: deps.trustedProxies,
      countryDb: deps.countryDb,
      privacySignals: deps.privacySignals ?? 'ignore',
      contact: deps.contact,
      microCache: deps.microCache,
    };
    const data: Omit<ThreadData<Own>, 'clickLogState' | 'counts'> = {
      name: `redirect-thread-${i + 1}`,
      logLevel: deps.logLevel,
      host: deps.host,
      port: deps.port,
      sharesPort: deps.threads > 1,
      visitors,
      own: deps.own,
    };
    return visitorThread({ module: deps.threadModule, data, readiness: ready.public, logger });
  }

  function ship(folder: string, log: ReturnType<typeof clickLogView>, rest?: () => Promise<void>): void {
    shippers.push(startShipper({ log, folder, cursor: readCursor(folder), bus, logger, pace: rest }));
  }

  /** Logs of threads from before `REDIRECT_WORKERS` was lowered. */
  function abandonedLogs(): string[] {
    const used = new Set(threads.map((one) => one.clickLogDir));
    return threadFolders(clickLogDir).filter((folder) => !used.has(folder));
  }

  async function shipAbandoned(folder: string): Promise<void> {
    const state = sharedState();
    const cursor = readCursor(folder);
    // Opening the log cuts a torn end off and finds its position.
    await openClickLog({ folder, maxBytes, logger, state, afterSegment: cursor.segment }).close();
    ship(folder, clickLogView({ folder, maxBytes, state, logger }));
  }

  /** The first failing state of all threads, else the first state. */
  async function dependency(name: string): Promise<DependencyState> {
    const states = await Promise.all(threads.map(async (one) => (await one.dependencies())[name]));
    return states.find((state) => state?.ok === false) ?? states[0] ?? { ok: false, detail: 'not known' };
  }

  async function status(): Promise<RedirectorStatus> {
    const visitors = await Promise.all(threads.map((one) => one.status()));
    const shipping = shippers.map((shipper) => shipper.state());
    const oldest = shipping.flatMap(({ oldestUnsentAt }) => oldestUnsentAt ?? []);
    return {
      maxBytes: deps.clickLogMaxBytes,
      diskBytes: sum(visitors, ({ diskBytes }) => diskBytes),
      // What a thread captured outlives it.
      captured: sum(threads, ({ clickLogState }) => clickLogState.captured()),
      held: sum(visitors, ({ held }) => held),
      uncaptured: sum(visitors, ({ uncaptured }) => uncaptured),
      clickLogProblem: visitors.find(({ clickLogProblem }) => clickLogProblem !== undefined)?.clickLogProblem,
      linksInMemory: sum(visitors, ({ linksInMemory }) => linksInMemory),
      openConnections: sum(visitors, ({ openConnections }) => openConnections),
      shipped: sum(shipping, ({ shipped }) => shipped),
      spoolBytes: sum(shipping, ({ spoolBytes }) => spoolBytes),
      garbledBytes: sum(shipping, ({ garbledBytes }) => garbledBytes),
      oldestUnsentMs: oldest.length === 0 ? 0 : Math.max(0, now() - Math.min(...oldest)),
      shippingProblem: shipping.find(({ problem }) => problem !== undefined)?.problem,
    };
  }

  /** Not required: visitors are redirected even when their clicks cannot be captured. */
  async function clickLogCheck(): Promise<DependencyState> {
    const { diskBytes, spoolBytes, oldestUnsentMs, held, uncaptured, ...problems } = await status();
    const facts = {
      disk_bytes: diskBytes,
      spool_bytes: spoolBytes,
      oldest_unsent_ms: oldestUnsentMs,
      held,
      uncaptured,
    };
    const { clickLogProblem, shippingProblem } = problems;
    if (clickLogProblem !== undefined)
      return { ok: false, detail: `clicks are not written: ${clickLogProblem}`, ...facts };
    const warnings = [
      ...(diskBytes > deps.clickLogMaxBytes / 2
        ? [`over half full: ${diskBytes} of ${deps.clickLogMaxBytes} bytes`]
        : []),
      ...(shippingProblem === undefined ? [] : [`clicks wait on disk: ${shippingProblem}`]),
    ];
    return { ok: true, ...(warnings.length === 0 ? {} : { detail: warnings.join('; ') }), ...facts };
  }

  return {
    checks,
    status,
    visited: () => ({
      ...visitorFigures(threads.map(({ counts }) => counts)),
      busyMs: threads.map(({ utilization }) => utilization().active),
    }),
    delays: () => Promise.all(threads.map((one) => one.delay())),
    start,
    changed: async (records) => void (await Promise.all(threads.map((one) => one.changed(records)))),
    made: async (slugs) => void (await Promise.all(threads.map((one) => one.made(slugs)))),
    rotate: async (visitorSecret) => void (await Promise.all(threads.map((one) => one.rotate(visitorSecret)))),
    async stop() {
      await Promise.all(threads.map((one) => one.stop()));
      await Promise.all(shippers.map((shipper) => shipper.stop()));
    },
  };
}

function sum<Of>(list: readonly Of[], figure: (one: Of) => number): number {
  return list.reduce((total, one) => total + figure(one), 0);
}
