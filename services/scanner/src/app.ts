/** Composes the scanner from its parts. A process's `main.ts` chooses the adapters. */
import type { UrlPolicy } from '@waypost/domain';
import type {
  Bus,
  LookQueue,
  ScannedLinks,
  SharedThreatData,
  Subscription,
  ThreatFeeds,
  UrlScanner,
} from '@waypost/ports';
import { type Background, background } from '@waypost/resilience';
import { createMetrics, type Logger, warnOfRetries } from '@waypost/telemetry';
import type { Router } from 'express';
import { lookAtClickedLinks } from './consumers/clicked-links.ts';
import { scanNewLinks } from './consumers/scan-new-links.ts';
import { type DeepScanDeps, type DeepScanStatus, deepScans } from './deep/deep-scans.ts';
import type { FeedSource } from './feeds/feed-source.ts';
import { feedPoller } from './feeds/poller.ts';
import { scanRouter } from './http/scan.ts';
import { measured, scannerMetrics } from './metrics.ts';
import type { ProviderStatus, ThreatProvider } from './providers/provider.ts';
import { rescanner } from './rescanner.ts';
import { rulesWithout } from './rules/rules.ts';
import { openThreatStore, type StoreOptions } from './threat-index/threat-store.ts';
import {
  type FeedContent,
  type FeedDescription,
  type ImportedFeed,
  importFeed,
  type PolledUpdate,
  releaseEntry,
} from './use-cases/import-feed.ts';
import { type ListedFeed, listFeeds, listQuarantine, type QuarantinedOfFeed } from './use-cases/list-feeds.ts';
import { lookAgain } from './use-cases/look-again.ts';
import { rescanLinks } from './use-cases/rescan-links.ts';
import { scanUrls } from './use-cases/scan-urls.ts';
import { unlistDue } from './use-cases/unlist-links.ts';

export interface ScannerDeps {
  /** The scanner's own folder: nobody else writes to it, and only one scanner at a time uses it. */
  readonly dataDir: string;
  /** Several scanners, each with its own folder, have their feeds and generation in common, and one of them is the leader. */
  readonly shared?: SharedThreatData;
  readonly policy: UrlPolicy;
  readonly links: ScannedLinks;
  readonly looks: LookQueue;
  readonly bus: Pick<Bus, 'publishEncoded' | 'subscribe'>;
  /** Asked about links that this scanner itself does not flag, after their creation. */
  readonly providers?: readonly ThreatProvider[];
  readonly feeds: readonly FeedSource[] | 'none';
  /** Ids of rules that are switched off. */
  readonly rulesOff?: readonly string[];
  /** Names of feeds that are switched off. */
  readonly feedsOff?: readonly string[];
  /** Undefined: there are no deep scans. */
  readonly deepScans?: DeepScanDeps | undefined;
  readonly logger: Logger;
  readonly now: () => Date;
  /** For tests: another file of shipped feeds, another way to build an index, and a shorter time. */
  readonly shippedFeedsFile?: string;
  readonly build?: StoreOptions['build'];
  readonly followEveryMs?: number;
}

export interface ScannerStatus {
  /** Whether there is a threat database; without one every scan is `unavailable`. */
  readonly ok: boolean;
  /** Which feeds are stale or fail, and how old the threat data is. */
  readonly detail?: string;
  readonly generation: string | null;
  readonly entries: number;
  /** Unfinished re-scans of links. */
  readonly rescansOwed: number;
  readonly deepScans?: DeepScanStatus;
  readonly feeds: readonly FeedStatus[];
  readonly providers: readonly ProviderStatus[];
}

export interface FeedStatus extends ListedFeed {
  readonly ageSeconds: number | null;
  /** Older than twice its period; always false for a feed that is not polled. */
  readonly stale: boolean;
  /** Its last update failed. */
  readonly failing: boolean;
  /** Entries that wait for a person (`admin quarantine`). */
  readonly quarantined: number;
  /** Switched off by `FEEDS_OFF`: it is not polled, and decides nothing. */
  readonly off: boolean;
}

export interface Scanner {
  readonly scanner: UrlScanner;
  readonly router: Router;
  /**
   * Resolves once the new generation decides verdicts; only then re-scans existing links. Throws `validation_failed`.
   */
  importFeed(content: FeedContent, feed: FeedDescription): Promise<ImportedFeed>;
  listFeeds(): ListedFeed[];
  readonly feeds: ThreatFeeds;
  listQuarantine(): QuarantinedOfFeed[];
  /** Resolves once the entry decides verdicts. Throws `validation_failed` if it is not in the quarantine of the feed. */
  releaseEntry(feed: string, entry: string): Promise<ImportedFeed>;
  /** Runs `work` with the paths of the files that hold the feeds; they stay as they are until it resolves. */
  withFiles(work: (files: readonly string[]) => Promise<void>): Promise<void>;
  status(): ScannerStatus;
  /** Starts polling, consuming and re-scanning. Scans and imports work without it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const REMOVALS_EVERY_MS = 60_000;
/** How soon another scanner's import decides verdicts here, another one leads, and its looks are taken. */
const FOLLOW_EVERY_MS = 2_000;
/** A scanner that becomes the leader polls what is overdue; there is nobody who does the same. */
const LEADER_SPREAD_MS = 1_000;

/** Without `metrics`, nobody reads what it counts. */
export async function createScanner(deps: ScannerDeps, metrics = createMetrics()): Promise<Scanner> {
  const { policy, logger, now, looks, providers = [], followEveryMs = FOLLOW_EVERY_MS } = deps;
  const feedsOff = deps.feedsOff ?? [];
  const sources = deps.feeds === 'none' ? [] : deps.feeds.filter(({ name }) => !feedsOff.includes(name));
  const store = await openThreatStore(deps.dataDir, {
    rules: rulesWithout(deps.rulesOff ?? []),
    feedsOff,
    shared: deps.shared,
    onDamage: (what) => logger.error('threat data damaged', { what }),
    shippedFile: deps.shippedFeedsFile,
    build: deps.build,
  });
  const importDeps = { store, ownHosts: policy.ownHosts, now };
  const looking = background({
    onFailure: warnOfRetries(logger, 'looking at links again'),
    work: async (signal) => ((await lookAgain({ ...deps, store, providers }, signal)) > 0 ? 0 : followEveryMs),
  });
  const onLooksAdded = () => looking.wake();
  const deep =
    deps.deepScans &&
    deepScans({ ...deps, ...deps.deepScans, rulesOff: deps.rulesOff ?? [], database: store.database });
  const scan = async (urls: readonly string[]) => {
    const result = await scanUrls({ policy, database: store.database }, urls);
    return deep === undefined ? result : deep.marked(result);
  };
  const scanner = measured({ scan }, metrics);

  const inForce = ({ badLines, quarantined, added, removed, ...imported }: Awaited<ReturnType<typeof importFeed>>) => {
    const feed = imported.name;
    if (badLines.length > 0) logger.warn('lines of a feed left out', { feed, badLines });
    if (quarantined > 0) logger.warn('entries of a feed are in quarantine', { feed, quarantined });
    logger.info('feed imported', { ...imported, added, removed });
    leading?.rescans.wake();
    return imported;
  };
  /** What only one of several scanners does: it polls, and does what the data that all have in common asks for. */
  let leading: ReturnType<typeof leadersWork> | undefined;
  function leadersWork() {
    const importFrom = async (file: string, source: FeedSource, update: PolledUpdate) =>
      inForce(await importFeed(importDeps, { file }, source, update));
    const poller = feedPoller({ sources, store, logger, now, importFeed: importFrom });
    const rescans = rescanner({
      store,
      logger,
      rescan: (owed, signal, note) => rescanLinks({ ...deps, store }, owed, signal, note),
    });
    const unlisting = background({
      onFailure: warnOfRetries(logger, 'clearing links that are no longer listed'),
      work: async (signal) => ((await unlistDue({ ...deps, store }, signal)) ? 0 : REMOVALS_EVERY_MS),
    });
    rescans.start();
    unlisting.start();
    return { poller, rescans, stop: () => Promise.all([poller, rescans, unlisting].map((each) => each.stop())) };
  }
  async function lead(leads: boolean): Promise<void> {
    if (leads === (leading !== undefined)) return;
    logger.info(leads ? 'leads the scanners' : 'no longer leads the scanners');
    if (leads) {
      await store.lead();
      leading = leadersWork();
      leading.poller.start(LEADER_SPREAD_MS);
    } else {
      await leading?.stop();
      leading = undefined;
    }
  }
  /** Why it does not follow the other scanners: their imports decide no verdicts here. */
  let behind: string | undefined;
  const following = deps.shared && follower(deps.shared);
  function follower(shared: SharedThreatData): Background {
    const resign = async () => {
      await lead(false);
      await shared.resign();
    };
    const work = background({
      onFailure: warnOfRetries(logger, 'following the other scanners'),
      async work() {
        try {
          // First: one that cannot follow, as its disk is full, would be a leader that does nothing.
          await store.follow();
          behind = undefined;
          await lead(await shared.leads());
          // Another one's import may be what it scans links for.
          leading?.rescans.wake();
        } catch (error) {
          behind = error instanceof Error ? error.message : String(error);
          await resign();
          throw error;
        }
        return followEveryMs;
      },
    });
    return { ...work, stop: () => work.stop().finally(resign) };
  }
  let subscription: Subscription | undefined;
  let clicked: Background | undefined;
  const periods = new Map(sources.map(({ name, everyMs }) => [name, everyMs]));
  const statuses = (): FeedStatus[] => {
    const quarantined = new Map(store.state().feeds.map(({ name, quarantine }) => [name, quarantine.count]));
    return listFeeds(store, sources).map((feed) => ({
      ...feedStatus(feed, periods.get(feed.name), now()),
      quarantined: quarantined.get(feed.name) ?? 0,
      off: feedsOff.includes(feed.name),
    }));
  };
  const feeds: ThreatFeeds = {
    list: async () =>
      statuses().map(({ name, entries, updated_at, ageSeconds, stale, last_error }) => ({
        name,
        entries,
        updated_at,
        age_seconds: ageSeconds,
        stale,
        last_error,
      })),
  };

  const created: Scanner = {
    scanner,
    router: scanRouter({ scanner, feeds, logger }),
    feeds,
    importFeed: async (content, feed) => inForce(await importFeed(importDeps, content, feed)),
    listFeeds: () => listFeeds(store, sources),
    listQuarantine: () => listQuarantine(store),
    releaseEntry: async (feed, entry) => inForce(await releaseEntry(importDeps, feed, entry)),
    withFiles: (work) => store.still(work),
    status() {
      const database = store.database();
      const listed = statuses();
      return {
        ok: database !== undefined,
        ...detailOf(listed, behind),
        generation: database?.generation ?? null,
        entries: database?.index.size ?? 0,
        rescansOwed: store.state().owed.length,
        ...(deep === undefined ? {} : { deepScans: deep.status() }),
        feeds: listed,
        providers: providers.map((provider) => provider.status()),
      };
    },
    async start() {
      subscription = await scanNewLinks({
        ...deps,
        store,
        looks,
        looksAtNewLinks: providers.length > 0,
        onLooksAdded,
        noteDeepScans: deep?.note,
      });
      clicked = await lookAtClickedLinks({ ...deps, onAdded: onLooksAdded });
      for (const each of [looking, clicked, deep, following]) each?.start();
      if (following === undefined) {
        leading = leadersWork();
        leading.poller.start();
      }
    },
    async stop() {
      await following?.stop();
      await Promise.all([leading, subscription, looking, clicked, deep].map((each) => each?.stop()));
    },
  };
  scannerMetrics(metrics, created);
  return created;
}

function feedStatus(feed: ListedFeed, everyMs: number | undefined, now: Date) {
  const ageMs = feed.updated_at === null ? null : now.getTime() - Date.parse(feed.updated_at);
  const stale = everyMs !== undefined && (ageMs === null || ageMs > 2 * everyMs);
  const failing = feed.last_error !== null;
  return { ...feed, ageSeconds: ageMs === null ? null : Math.round(ageMs / 1000), stale, failing };
}

const DAY_SECONDS = 86_400;

/** For `/readyz`: what a person should look at. */
function detailOf(feeds: readonly FeedStatus[], behind: string | undefined): Pick<ScannerStatus, 'detail'> {
  const named = (title: string, wanted: (feed: FeedStatus) => boolean) => {
    const names = feeds.filter((feed) => !feed.off && wanted(feed)).map(({ name }) => name);
    return names.length === 0 ? [] : [`${title} ${names.join(', ')}`];
  };
  const ages = feeds.flatMap(({ ageSeconds, off }) => (ageSeconds === null || off ? [] : ageSeconds));
  const youngest = Math.floor(Math.min(...ages) / DAY_SECONDS);
  const parts = [
    ...(behind === undefined ? [] : [`it cannot follow the other scanners: ${behind}`]),
    ...named('no recent update of the feeds', ({ stale }) => stale),
    ...named('the last update failed of the feeds', ({ failing }) => failing),
    ...named('entries wait in the quarantine (admin quarantine) of the feeds', ({ quarantined }) => quarantined > 0),
    ...(ages.length > 0 && youngest > OLD_DAYS ? [`the newest threat data is ${youngest} days old`] : []),
  ];
  return parts.length === 0 ? {} : { detail: parts.join('; ') };
}

/** Threat data without any update for so long is worth a line: shipped data, off-line. */
const OLD_DAYS = 7;
