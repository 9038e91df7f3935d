import type { ThreatFeed, ThreatFeeds } from '@waypost/ports';
import type { FeedSource } from './feeds/feed-source.ts';
import type { QuarantinedEntry } from './feeds/read-feed.ts';
import type { ThreatStore } from './threat-store.ts';

export type ListedFeed = Pick<ThreatFeed, 'name' | 'entries' | 'updated_at' | 'last_error'>;

/** `admin feeds`: the feeds that decide verdicts now, and those configured but never fetched. */
export function listFeeds(store: Pick<ThreatStore, 'state' | 'shipped'>, sources: readonly FeedSource[]): ListedFeed[] {
  const { feeds, polls } = store.state();
  const feedRows = [...store.shipped(), ...feeds].map(({ name, entries, updatedAt }) => ({
    name,
    entries,
    updated_at: updatedAt,
    last_error: polls[name]?.lastError ?? null,
  }));
  const missing = sources
    .filter(({ name }) => !feedRows.some((feed) => feed.name === name))
    .map(({ name }) => ({ name, entries: 0, updated_at: null, last_error: polls[name]?.lastError ?? null }));
  return [...feedRows, ...missing].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** `admin quarantine`: entries that a person must judge before they flag; at most the first of each feed. */
export function listQuarantine(store: Pick<ThreatStore, 'state'>): (QuarantinedEntry & { readonly feed: string })[] {
  const { feeds } = store.state();
  return feeds.flatMap(({ name, quarantine }) => quarantine.entries.map((entry) => ({ feed: name, ...entry })));
}

export interface FeedStatus extends ThreatFeed {
  readonly quarantined: number;
  /** True if `FEEDS_OFF` names the feed. */
  readonly off: boolean;
}

/** Lists change daily or more often, and most are polled more often than that. */
const STALE_PERIODS = 7;

export function feedStatuses(store: ThreatStore, sources: readonly FeedSource[], now: Date): FeedStatus[] {
  const sourceOf = new Map(sources.map((source) => [source.name, source]));
  const feedsByName = new Map(store.state().feeds.map((feed) => [feed.name, feed]));
  return listFeeds(store, sources).map((feed) => {
    const source = sourceOf.get(feed.name);
    const { quarantine, own } = feedsByName.get(feed.name) ?? {};
    const off = store.feedsOff.has(feed.name);
    const ageMs = feed.updated_at === null ? null : now.getTime() - Date.parse(feed.updated_at);
    return {
      ...feed,
      age_seconds: ageMs === null ? null : Math.round(ageMs / 1000),
      stale: source !== undefined && (ageMs === null || ageMs > STALE_PERIODS * source.everyMs),
      quarantined: quarantine?.count ?? 0,
      own_addresses: off ? [] : (own?.addresses ?? []),
      own_links: off ? [] : (own?.links ?? []),
      removal_url: source?.removalUrl ?? null,
      off,
    };
  });
}

export const threatFeeds = (statuses: () => readonly FeedStatus[]): ThreatFeeds => ({
  list: async () => statuses().map(({ quarantined: _, off: __, ...feed }) => feed),
});

const DAY_SECONDS = 86_400;
/** Shipped data that is older than this was not updated. */
const OLD_DAYS = 7;

/** Returns a text for people, or undefined without problems. `behind` says why it does not follow the others. */
export function problemsOf(feeds: readonly FeedStatus[], behind: string | undefined): string | undefined {
  const named = (title: string, hasIt: (feed: FeedStatus) => boolean) => {
    const names = feeds.filter((feed) => !feed.off && hasIt(feed)).map(({ name }) => name);
    return names.length === 0 ? [] : [`${title}: ${names.join(', ')}`];
  };
  const ages = feeds.flatMap(({ age_seconds: age, off }) => (age === null || off ? [] : age));
  const youngest = Math.floor(Math.min(...ages) / DAY_SECONDS);
  const parts = [
    ...(behind === undefined ? [] : [`it cannot follow the other scanners: ${behind}`]),
    ...named('feeds that list this service', (feed) => feed.own_addresses.length > 0),
    ...named('feeds without new content for seven update intervals', ({ stale }) => stale),
    ...named('feeds whose last update failed', ({ last_error }) => last_error !== null),
    ...named('feeds with entries in quarantine (admin quarantine)', ({ quarantined }) => quarantined > 0),
    ...(ages.length > 0 && youngest > OLD_DAYS ? [`the newest threat data is ${youngest} days old`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join('; ');
}
