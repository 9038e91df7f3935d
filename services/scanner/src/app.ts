import type { UrlPolicy } from '@waypost/domain';
import type { Bus, ThreatFeeds, UrlScanner } from '@waypost/ports';
import { background } from '@waypost/resilience';
import { ConfigError } from '@waypost/settings';
import { createMetrics, type Logger, warnOfRetries } from '@waypost/telemetry';
import type { Router } from 'express';
import { type DeepScanDeps, type DeepScanStatus, DeepScans } from './deep-scans/deep-scans.ts';
import { scanRouter } from './http/scan.ts';
import { rulesWithout } from './judge/rule-set.ts';
import { scannerMetrics, withMetrics } from './metrics.ts';
import { recheckClickedLinks } from './recheck/clicked-links.ts';
import { delistDue } from './recheck/delist-links.ts';
import { fileLinks } from './recheck/file-links.ts';
import type { ProviderStatus, ThreatProvider } from './recheck/providers/provider.ts';
import { recheckLinks } from './recheck/recheck-links.ts';
import type { RecheckQueue } from './recheck/recheck-queue.port.ts';
import { rescanLinks } from './recheck/rescan-links.ts';
import { rescanner } from './recheck/rescanner.ts';
import type { ScannedLinks } from './recheck/scanned-links.port.ts';
import { scanUrls } from './scan-urls.ts';
import { feedPoller } from './threats/feed-poller.ts';
import {
  type FeedStatus,
  feedStatuses,
  type ListedFeed,
  listFeeds,
  listQuarantine,
  problemsOf,
  type QuarantinedOfFeed,
  threatFeeds,
} from './threats/feed-status.ts';
import type { FeedSource } from './threats/feeds/feed-source.ts';
import {
  type FeedContent,
  type FeedDescription,
  type ImportedFeed,
  importFeed,
  type PolledUpdate,
  releaseEntry,
} from './threats/import-feed.ts';
import { Leadership, type LeadersWork } from './threats/leadership.ts';
import type { SharedThreatData } from './threats/shared-threat-data.port.ts';
import { openThreatStore, type StoreOptions, type ThreatStore } from './threats/threat-store.ts';

export interface ScannerDeps {
  /** Only one scanner at a time uses this folder. */
  readonly dataDir: string;
  /** The feeds and the generation that several scanners share. Each scanner still has its own folder. */
  readonly shared?: SharedThreatData;
  readonly policy: UrlPolicy;
  readonly links: ScannedLinks;
  readonly rechecks: RecheckQueue;
  readonly bus: Pick<Bus, 'publishEncoded' | 'subscribe'>;
  /** Providers judge new links that this scanner does not flag. */
  readonly providers?: readonly ThreatProvider[];
  readonly feeds: readonly FeedSource[] | 'none';
  /** The ids of rules that do not run. */
  readonly rulesOff?: readonly string[];
  /** The names of feeds that decide nothing. */
  readonly feedsOff?: readonly string[];
  /** Undefined if there are no deep scans. */
  readonly deepScans?: DeepScanDeps | undefined;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Only tests set this. */
  readonly shippedFeedsFile?: string;
  readonly build?: StoreOptions['build'];
  readonly followEveryMs?: number;
}

export interface ScannerStatus {
  /** Without a threat database every scan is `unavailable`. */
  readonly ok: boolean;
  /** Feeds that are stale or fail, and the age of the threat data. */
  readonly detail?: string;
  readonly generation: string | null;
  readonly entries: number;
  readonly rescansOwed: number;
  readonly deepScans?: DeepScanStatus;
  readonly feeds: readonly FeedStatus[];
  readonly providers: readonly ProviderStatus[];
}

export interface Scanner {
  readonly scanner: UrlScanner;
  readonly router: Router;
  /** Resolves once the new generation decides verdicts. Throws `validation_failed`. */
  importFeed(content: FeedContent, feed: FeedDescription): Promise<ImportedFeed>;
  listFeeds(): ListedFeed[];
  readonly feeds: ThreatFeeds;
  listQuarantine(): QuarantinedOfFeed[];
  /** Resolves once the entry decides verdicts. Throws `validation_failed` if it is not in quarantine. */
  releaseEntry(feed: string, entry: string): Promise<ImportedFeed>;
  /** Runs `work` with the paths of the files of the feeds. They do not change until it resolves. */
  withFiles(work: (files: readonly string[]) => Promise<void>): Promise<void>;
  status(): ScannerStatus;
  /** Scans and imports work before the start. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const REMOVALS_EVERY_MS = 60_000;
/** The longest time until another scanner's import decides verdicts here. */
const FOLLOW_EVERY_MS = 2_000;

export async function createScanner(deps: ScannerDeps, metrics = createMetrics()): Promise<Scanner> {
  const { policy, logger, now, providers = [], followEveryMs = FOLLOW_EVERY_MS, feedsOff = [], rulesOff = [] } = deps;
  const sources = deps.feeds === 'none' ? [] : deps.feeds.filter(({ name }) => !feedsOff.includes(name));
  const store = await openThreatStore(deps.dataDir, {
    rules: rulesWithout(rulesOff),
    feedsOff,
    shared: deps.shared,
    onDamage: (what) => logger.error('threat data is damaged: import it again', { what }),
    shippedFile: deps.shippedFeedsFile,
    build: deps.build,
  });
  const absent = feedsOff.filter((name) => !isFeed(name, store, deps.feeds));
  if (absent.length > 0) {
    const problem = `FEEDS_OFF names what is no feed: ${absent.join(', ')}`;
    // Another scanner may have imported the feed, and this one learns of it later.
    if (deps.shared === undefined) throw new ConfigError(problem);
    logger.warn(problem);
  }
  const imports = feedImports(store, deps, () => leadership.wake());
  const work = () => leadersWork(deps, store, sources, imports.poll);
  const leadership = new Leadership({ store, shared: deps.shared, work, followEveryMs, logger });
  const rechecking = background({
    onFailure: warnOfRetries(logger, 'rechecking links'),
    work: async (signal) => ((await recheckLinks({ ...deps, store, providers }, signal)) > 0 ? 0 : followEveryMs),
  });
  const onRechecksAdded = () => rechecking.wake();
  const deep = deps.deepScans && new DeepScans({ ...deps, ...deps.deepScans, rulesOff, database: store.database });
  const scan = async (urls: readonly string[]) => {
    const result = await scanUrls({ policy, database: store.database }, urls);
    return deep === undefined ? result : deep.markDeepScans(result);
  };
  const scanner = withMetrics({ scan }, metrics);
  const statuses = () => feedStatuses(store, sources, now());
  const feeds = threatFeeds(statuses);
  const consumers: { stop(): Promise<void> }[] = [];

  const service: Scanner = {
    scanner,
    router: scanRouter({ scanner, feeds, logger }),
    feeds,
    importFeed: imports.import,
    listFeeds: () => listFeeds(store, sources),
    listQuarantine: () => listQuarantine(store),
    releaseEntry: imports.release,
    withFiles: (work) => store.still(work),
    status() {
      const database = store.database();
      const feedStates = statuses();
      const detail = problemsOf(feedStates, leadership.behind);
      return {
        ok: database !== undefined,
        ...(detail === undefined ? {} : { detail }),
        generation: database?.generation ?? null,
        entries: database?.index.size ?? 0,
        rescansOwed: store.state().owed.length,
        ...(deep === undefined ? {} : { deepScans: deep.status() }),
        feeds: feedStates,
        providers: providers.map((provider) => provider.status()),
      };
    },
    async start() {
      consumers.push(
        await fileLinks({
          ...deps,
          store,
          rechecksNewLinks: providers.length > 0,
          onRechecksAdded,
          queueDeepScans: deep && ((events) => deep.queue(events)),
        }),
      );
      const clicked = await recheckClickedLinks({ ...deps, onAdded: onRechecksAdded });
      consumers.push(clicked);
      for (const each of [rechecking, clicked, deep, leadership]) each?.start();
    },
    async stop() {
      await leadership.stop();
      await Promise.all([...consumers, rechecking, deep].map((each) => each?.stop()));
    },
  };
  scannerMetrics(metrics, service);
  return service;
}

function isFeed(name: string, store: ThreatStore, sources: ScannerDeps['feeds']): boolean {
  const { feeds, polls } = store.state();
  const all = [...store.shipped(), ...feeds, ...(sources === 'none' ? [] : sources)];
  return Object.hasOwn(polls, name) || all.some((feed) => feed.name === name);
}

/** Each way to replace a feed logs the lines and entries that it skipped. */
function feedImports(store: ThreatStore, { policy, now, logger }: ScannerDeps, onChange: () => void) {
  const importDeps = { store, ownHosts: policy.ownHosts, now };
  const report = ({
    badLines,
    quarantined,
    ownAddresses,
    added,
    removed,
    ...imported
  }: Awaited<ReturnType<typeof importFeed>>) => {
    const feed = imported.name;
    if (ownAddresses.length > 0) logger.error('a feed names this service', { feed, addresses: ownAddresses });
    if (badLines.length > 0) logger.warn('lines of a feed cannot be read and were skipped', { feed, badLines });
    if (quarantined > 0) logger.warn('entries of a feed are in quarantine', { feed, quarantined });
    logger.info('feed imported', { ...imported, added, removed });
    onChange();
    return imported;
  };
  return {
    import: async (content: FeedContent, feed: FeedDescription) => report(await importFeed(importDeps, content, feed)),
    release: async (feed: string, entry: string) => report(await releaseEntry(importDeps, feed, entry)),
    poll: async (file: string, source: FeedSource, update: PolledUpdate) =>
      report(await importFeed(importDeps, { file }, source, update)),
  };
}

/** If there are several scanners, only the leader does this work. */
function leadersWork(
  deps: ScannerDeps,
  store: ThreatStore,
  sources: readonly FeedSource[],
  importPolled: ReturnType<typeof feedImports>['poll'],
): LeadersWork {
  const { logger, now } = deps;
  const poller = feedPoller({ sources, store, logger, now, importFeed: importPolled });
  const rescans = rescanner({
    store,
    logger,
    rescan: (owed, signal, note) => rescanLinks({ ...deps, store }, owed, signal, note),
  });
  const delisting = background({
    onFailure: warnOfRetries(logger, 'clearing links that are no longer listed'),
    work: async (signal) => ((await delistDue({ ...deps, store }, signal)) ? 0 : REMOVALS_EVERY_MS),
  });
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
