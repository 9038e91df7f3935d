/** `admin feeds`: the feeds that decide verdicts now, and those configured but never fetched. */
import type { FeedSource } from '../feeds/feed-source.ts';
import type { QuarantinedEntry } from '../feeds/read-feed.ts';
import type { ThreatStore } from '../threat-index/threat-store.ts';

export interface ListedFeed {
  readonly name: string;
  readonly entries: number;
  /** ISO 8601; null if never fetched. For shipped feeds, the date of the data. */
  readonly updated_at: string | null;
  readonly last_error: string | null;
}

export function listFeeds(store: Pick<ThreatStore, 'state' | 'shipped'>, sources: readonly FeedSource[]): ListedFeed[] {
  const { feeds, polls } = store.state();
  const listed = [...store.shipped(), ...feeds].map(({ name, entries, updatedAt }) => {
    const confirmedAt = polls[name]?.confirmedAt ?? null;
    return {
      name,
      entries,
      updated_at: confirmedAt !== null && confirmedAt > updatedAt ? confirmedAt : updatedAt,
      last_error: polls[name]?.lastError ?? null,
    };
  });
  const missing = sources
    .filter(({ name }) => !listed.some((feed) => feed.name === name))
    .map(({ name }) => ({ name, entries: 0, updated_at: null, last_error: polls[name]?.lastError ?? null }));
  return [...listed, ...missing].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export interface QuarantinedOfFeed extends QuarantinedEntry {
  readonly feed: string;
}

/** `admin quarantine`: entries that a person must judge before they flag; at most the first of each feed. */
export function listQuarantine(store: Pick<ThreatStore, 'state'>): QuarantinedOfFeed[] {
  return store
    .state()
    .feeds.flatMap(({ name, quarantine }) => quarantine.entries.map((entry) => ({ feed: name, ...entry })));
}
