/** The threat data: the store, the feeds that fill it, and what operators and owners ask about them. */
import type { UrlPolicy } from '@waypost/domain';
import { ConfigError } from '@waypost/settings';
import type { Logger } from '@waypost/telemetry';
import { rulesWithout } from '../judge/rule-set.ts';
import { feedPoller } from './feed-poller.ts';
import { feedStatuses, listFeeds, listQuarantine, threatFeeds } from './feed-status.ts';
import type { FeedSource } from './feeds/feed-source.ts';
import { type FeedContent, type FeedDescription, type ImportedFeed, importFeed, releaseEntry } from './import-feed.ts';
import type { SharedThreatData } from './shared-threat-data.port.ts';
import { openThreatStore, type StoreOptions, type ThreatStore } from './threat-store.ts';

export interface ThreatsDeps {
  /** Only one scanner at a time uses this folder. */
  readonly dataDir: string;
  /** The feeds and the generation that several scanners share. Each scanner still has its own folder. */
  readonly shared?: SharedThreatData;
  readonly policy: Pick<UrlPolicy, 'ownHosts'>;
  readonly feeds: readonly FeedSource[] | 'none';
  /** The ids of rules that do not run. */
  readonly rulesOff?: readonly string[];
  /** The names of feeds that decide nothing. */
  readonly feedsOff?: readonly string[];
  readonly logger: Logger;
  readonly now: () => Date;
  /** Only tests set this. */
  readonly shippedFeedsFile?: string;
  readonly build?: StoreOptions['build'];
}

export type Threats = Awaited<ReturnType<typeof openThreats>>;

/** Calls `onImport` when a feed was replaced. */
export async function openThreats(deps: ThreatsDeps, onImport: () => void) {
  const { logger, now, feedsOff = [] } = deps;
  const store = await openThreatStore(deps.dataDir, {
    rules: rulesWithout(deps.rulesOff ?? []),
    feedsOff,
    shared: deps.shared,
    onDamage: (what) => logger.error('threat data is damaged; import it again', { what }),
    shippedFile: deps.shippedFeedsFile,
    build: deps.build,
  });
  const configured = deps.feeds === 'none' ? [] : deps.feeds;
  expectFeeds(feedsOff, [...configured, ...store.shipped(), ...store.state().feeds], store, deps);
  const sources = configured.filter(({ name }) => !feedsOff.includes(name));
  const importDeps = { store, ownHosts: deps.policy.ownHosts, now };
  const statuses = () => feedStatuses(store, sources, now());

  /** Each way to replace a feed logs the lines and entries that it skipped. */
  async function replaced(imports: ReturnType<typeof importFeed>): Promise<ImportedFeed> {
    const { badLines, quarantined, ownAddresses, added, removed, ...imported } = await imports;
    const feed = imported.name;
    if (ownAddresses.length > 0) logger.error('a feed lists this service', { feed, addresses: ownAddresses });
    if (badLines.length > 0) logger.warn('unreadable lines of a feed were skipped', { feed, badLines });
    if (quarantined > 0) logger.warn('entries of a feed are in quarantine', { feed, quarantined });
    logger.info('feed imported', { ...imported, added, removed });
    onImport();
    return imported;
  }

  return {
    store,
    /** Resolves once the new generation decides verdicts. Throws `validation_failed`. */
    importFeed: (content: FeedContent, feed: FeedDescription) => replaced(importFeed(importDeps, content, feed)),
    listFeeds: () => listFeeds(store, sources),
    feeds: threatFeeds(statuses),
    statuses,
    listQuarantine: () => listQuarantine(store),
    /** Resolves once the entry decides verdicts. Throws `validation_failed` if it is not in quarantine. */
    releaseEntry: (feed: string, entry: string) => replaced(releaseEntry(importDeps, feed, entry)),
    /** Runs `work` with the paths of the files of the feeds. They do not change until it resolves. */
    withFiles: (work: (files: readonly string[]) => Promise<void>) => store.still(work),
    /** A job of the leader. */
    poller: () =>
      feedPoller({
        sources,
        store,
        logger,
        now,
        importFeed: (file, source, update) => replaced(importFeed(importDeps, { file }, source, update)),
      }),
  };
}

/** Throws `ConfigError` if `FEEDS_OFF` names what is no feed. */
function expectFeeds(
  feedsOff: readonly string[],
  feeds: readonly { readonly name: string }[],
  store: ThreatStore,
  { shared, logger }: ThreatsDeps,
): void {
  const { polls } = store.state();
  const absent = feedsOff.filter((off) => !Object.hasOwn(polls, off) && !feeds.some(({ name }) => name === off));
  if (absent.length === 0) return;
  const problem = `FEEDS_OFF contains unknown feeds: ${absent.join(', ')}`;
  // Another scanner may have imported the feed, and this one learns of it later.
  if (shared === undefined) throw new ConfigError(problem);
  logger.warn(problem);
}
