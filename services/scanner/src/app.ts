import type { UrlPolicy } from '@waypost/domain';
import { createMetrics } from '@waypost/telemetry';
import { scanRouter } from './http/scan.ts';
import { scannerMetrics, withMetrics } from './metrics.ts';
import { linkRechecks, type RecheckDeps, type Rechecks } from './recheck/index.ts';
import { scanUrls } from './scan-urls.ts';
import type { ScannerStatus } from './status.ts';
import { problemsOf } from './threats/feed-status.ts';
import { openThreats, type Threats, type ThreatsDeps } from './threats/index.ts';
import { Leadership, type LeadersWork } from './threats/leadership.ts';

export interface ScannerDeps extends ThreatsDeps, RecheckDeps {
  readonly policy: UrlPolicy;
  /** Only tests set this. */
  readonly followEveryMs?: number;
}

export type Scanner = Awaited<ReturnType<typeof createScanner>>;

/** The longest time until another scanner's import decides verdicts here. */
const FOLLOW_EVERY_MS = 2_000;

export async function createScanner(deps: ScannerDeps, metrics = createMetrics()) {
  const { policy, logger, providers = [], followEveryMs = FOLLOW_EVERY_MS } = deps;
  const { store, statuses, poller, ...threats } = await openThreats(deps, () => leadership.wake());
  const { database } = store;
  const rechecks = linkRechecks({ ...deps, store, pollEveryMs: followEveryMs });
  const work = () => leadersWork(poller(), rechecks);
  const leadership = new Leadership({ store, shared: deps.shared, work, followEveryMs, logger });
  const scanner = withMetrics({ scan: (urls) => scanUrls({ policy, database }, urls) }, metrics);

  function status(): ScannerStatus {
    const current = database();
    const feeds = statuses();
    const detail = problemsOf(feeds, leadership.behind);
    return {
      ok: current !== undefined,
      ...(detail === undefined ? {} : { detail }),
      generation: current?.generation ?? null,
      entries: current?.index.size ?? 0,
      rescansOwed: store.state().owed.length,
      feeds,
      providers: providers.map((provider) => provider.status()),
    };
  }

  scannerMetrics(metrics, status);
  return {
    ...threats,
    scanner,
    router: scanRouter({ scanner, feeds: threats.feeds, logger }),
    status,
    /** Scans and imports work before the start. */
    async start(): Promise<void> {
      await rechecks.start();
      leadership.start();
    },
    async stop(): Promise<void> {
      await leadership.stop();
      await rechecks.stop();
    },
  };
}

/** If there are several scanners, only the leader does this work. */
function leadersWork(poller: ReturnType<Threats['poller']>, rechecks: Rechecks): LeadersWork {
  const rescans = rechecks.rescans();
  const delisting = rechecks.delisting();
  return {
    start: (spreadMs) => {
      rescans.start();
      delisting.start();
      poller.start(spreadMs);
    },
    wake: () => rescans.wake(),
    stop: () => Promise.all([poller, rescans, delisting].map((each) => each.stop())),
  };
}
