/** Composes the scanner from its parts. A process's `main.ts` chooses the adapters. */
import type { UrlPolicy } from '@waypost/domain';
import type { Bus, ScannedLinks, Subscription, ThreatFeeds, UrlScanner } from '@waypost/ports';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { Router } from 'express';
import { scanNewLinks } from './consumers/scan-new-links.ts';
import type { FeedSource } from './feeds/feed-source.ts';
import { feedPoller } from './feeds/poller.ts';
import { scanRouter } from './http/scan.ts';
import { rescanner } from './rescanner.ts';
import { rulesWithout } from './rules/rules.ts';
import { openThreatStore, type StoreOptions } from './threat-index/threat-store.ts';
import { type FeedContent, type FeedDescription, type ImportedFeed, importFeed } from './use-cases/import-feed.ts';
import { type ListedFeed, listFeeds } from './use-cases/list-feeds.ts';
import { rescanLinks } from './use-cases/rescan-links.ts';
import { scanUrls } from './use-cases/scan-urls.ts';
import { warmUp } from './warm-up.ts';

export interface ScannerDeps {
  /** The scanner's own folder: nobody else writes to it, and only one scanner at a time uses it. */
  readonly dataDir: string;
  readonly policy: UrlPolicy;
  readonly links: ScannedLinks;
  readonly bus: Pick<Bus, 'publishEncoded' | 'subscribe'>;
  readonly feeds: readonly FeedSource[] | 'none';
  /** Ids of rules that are switched off. */
  readonly rulesOff?: readonly string[];
  readonly logger: Logger;
  readonly now: () => Date;
  /** For tests: another file of shipped feeds, and another way to build an index. */
  readonly shippedFeedsFile?: string;
  readonly build?: StoreOptions['build'];
}

export interface ScannerStatus {
  /** Whether there is a threat database; without one every scan is `unavailable`. */
  readonly ok: boolean;
  /** Which feeds are stale. */
  readonly detail?: string;
  readonly generation: string | null;
  readonly entries: number;
  /** Unfinished re-scans of links. */
  readonly rescansOwed: number;
  readonly feeds: readonly FeedStatus[];
}

export interface FeedStatus extends ListedFeed {
  readonly ageSeconds: number | null;
  /** Older than twice its period; always false for a feed that is not polled. */
  readonly stale: boolean;
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
  /** Runs `work` with the paths of the files that hold the feeds; they stay as they are until it resolves. */
  withFiles(work: (files: readonly string[]) => Promise<void>): Promise<void>;
  status(): ScannerStatus;
  /** Starts polling, consuming and re-scanning. Scans and imports work without it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function createScanner(deps: ScannerDeps): Promise<Scanner> {
  const { policy, logger, now } = deps;
  const sources = deps.feeds === 'none' ? [] : deps.feeds;
  const options: StoreOptions = {
    rules: rulesWithout(deps.rulesOff ?? []),
    onDamage: (what) => logger.error('threat data damaged', { what }),
    ...(deps.shippedFeedsFile === undefined ? {} : { shippedFile: deps.shippedFeedsFile }),
    ...(deps.build === undefined ? {} : { build: deps.build }),
  };
  const store = await openThreatStore(deps.dataDir, options);
  const importDeps = { store, ownHosts: policy.ownHosts, now };
  const rescans = rescanner({
    store,
    logger,
    rescan: (owed, signal) => rescanLinks({ ...deps, store }, owed, signal),
  });
  const scanner: UrlScanner = { scan: (urls) => scanUrls({ policy, database: store.database }, urls) };

  const importAndRescan = async (...args: DropFirst<Parameters<typeof importFeed>>): Promise<ImportedFeed> => {
    const { badLines, added, ...imported } = await importFeed(importDeps, ...args);
    if (badLines.length > 0) logger.warn('lines of a feed left out', { feed: imported.name, badLines });
    logger.info('feed imported', { ...imported, added });
    rescans.wake();
    return imported;
  };
  const poller = feedPoller({
    sources,
    store,
    logger,
    now,
    importFeed: (file, source, update) => importAndRescan({ file }, source, update),
  });
  let subscription: Subscription | undefined;
  const periods = new Map(sources.map(({ name, everyMs }) => [name, everyMs]));
  const statuses = () => listFeeds(store, sources).map((feed) => feedStatus(feed, periods.get(feed.name), now()));
  const feeds: ThreatFeeds = {
    list: async () => statuses().map(({ ageSeconds, ...feed }) => ({ ...feed, age_seconds: ageSeconds })),
  };

  return {
    scanner,
    router: scanRouter({ scanner, feeds, logger }),
    feeds,
    importFeed: (content, feed) => importAndRescan(content, feed),
    listFeeds: () => listFeeds(store, sources),
    withFiles: (work) => store.still(work),
    status() {
      const database = store.database();
      const listed = statuses();
      const stale = listed.filter((feed) => feed.stale).map(({ name }) => name);
      return {
        ok: database !== undefined,
        ...(stale.length === 0 ? {} : { detail: `no recent update of the feeds ${stale.join(', ')}` }),
        generation: database?.generation ?? null,
        entries: database?.index.size ?? 0,
        rescansOwed: store.state().owed.length,
        feeds: listed,
      };
    },
    async start() {
      subscription = await scanNewLinks({ ...deps, store });
      rescans.start();
      poller.start();
      if (store.database() !== undefined)
        void warmUp(scanner).catch((error) => logger.warn('no warm-up', errorFields(error)));
    },
    async stop() {
      await Promise.all([poller.stop(), subscription?.stop(), rescans.stop()]);
    },
  };
}

function feedStatus(feed: ListedFeed, everyMs: number | undefined, now: Date): FeedStatus {
  const ageMs = feed.updated_at === null ? null : now.getTime() - Date.parse(feed.updated_at);
  const stale = everyMs !== undefined && (ageMs === null || ageMs > 2 * everyMs);
  return { ...feed, ageSeconds: ageMs === null ? null : Math.round(ageMs / 1000), stale };
}

type DropFirst<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;
