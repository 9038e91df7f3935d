import type { Verdict } from '@waypost/domain';
import type { ScanResult, UrlScanner } from '@waypost/ports';
import { type Metrics, metric } from '@waypost/telemetry';
import type { ScannerStatus } from './status.ts';

export const SCAN_METRICS = {
  urls: metric.counter(
    'waypost_scanner_urls_total',
    'URLs scanned at creation, by outcome (clean, warned, flagged, refused, or unavailable for no verdict) and by what decided (feed, rule, policy or none).',
    'outcome',
    'source',
  ),
  durations: metric.histogram(
    'waypost_scanner_scan_duration_seconds',
    'Time to scan all URLs of one creation request.',
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  ),
};

export const SCANNER_METRICS = {
  loaded: metric.gauge(
    'waypost_scanner_threat_data_loaded',
    'Whether threat data is loaded: 1 or 0. Without it, no link can be created.',
  ),
  entries: metric.gauge('waypost_scanner_threat_entries', 'Entries of all feeds in use.'),
  rescans: metric.gauge('waypost_scanner_rescans_pending', 'Links waiting for a rescan after a feed changed.'),
  feedAge: metric.gauge('waypost_scanner_feed_age_seconds', 'Time since the content of a feed last changed.', 'feed'),
  feedEntries: metric.gauge('waypost_scanner_feed_entries', 'Entries of a feed.', 'feed'),
  feedStale: metric.gauge(
    'waypost_scanner_feed_stale',
    'Whether a feed has not changed for seven update periods: 1 or 0.',
    'feed',
  ),
  feedFailing: metric.gauge(
    'waypost_scanner_feed_failing',
    'Whether the last update of a feed failed: 1 or 0.',
    'feed',
  ),
  feedQuarantined: metric.gauge(
    'waypost_scanner_feed_quarantined',
    'Entries of a feed in quarantine, which flag no link until a person releases them.',
    'feed',
  ),
  feedOwn: metric.gauge(
    'waypost_scanner_feed_own_entries',
    'Entries of a feed that list this service, by kind: short links (link), or its hosts and pages (address).',
    'feed',
    'kind',
  ),
  providerRequests: metric.counter(
    'waypost_scanner_provider_requests_total',
    'Requests to a remote threat provider.',
    'provider',
  ),
  providerFailures: metric.counter(
    'waypost_scanner_provider_failures_total',
    'Failed requests to a remote threat provider.',
    'provider',
  ),
  providerOpen: metric.gauge(
    'waypost_scanner_provider_open',
    'Whether requests to a remote provider are paused after failures: 1 or 0.',
    'provider',
  ),
};

export function scannerMetrics(metrics: Metrics, status: () => ScannerStatus): void {
  metrics.read(SCANNER_METRICS, () => {
    const { ok, entries, rescansOwed, feeds, providers } = status();
    const ofEach = (value: (feed: (typeof feeds)[number]) => number | boolean | null) =>
      feeds.flatMap((feed) => {
        const current = value(feed);
        return current === null ? [] : { labels: { feed: feed.name }, value: current };
      });
    const ofProviders = (value: (provider: (typeof providers)[number]) => number | boolean) =>
      providers.map((provider) => ({ labels: { provider: provider.name }, value: value(provider) }));
    return {
      loaded: ok,
      entries,
      rescans: rescansOwed,
      feedAge: ofEach((feed) => feed.age_seconds),
      feedEntries: ofEach((feed) => feed.entries),
      feedStale: ofEach(({ stale }) => stale),
      feedFailing: ofEach(({ last_error }) => last_error !== null),
      feedQuarantined: ofEach(({ quarantined }) => quarantined),
      feedOwn: feeds.flatMap(({ name, own_links, own_addresses }) => [
        { labels: { feed: name, kind: 'link' }, value: own_links.length },
        { labels: { feed: name, kind: 'address' }, value: own_addresses.length },
      ]),
      providerRequests: ofProviders(({ requests }) => requests),
      providerFailures: ofProviders(({ failures }) => failures),
      providerOpen: ofProviders(({ open }) => open),
    };
  });
}

export function withMetrics({ scan }: UrlScanner, metrics: Metrics): UrlScanner {
  const urlsTotal = metrics.counter(SCAN_METRICS.urls);
  const durations = metrics.histogram(SCAN_METRICS.durations);
  return {
    async scan(urls): Promise<ScanResult> {
      const startedAt = performance.now();
      try {
        const result = await scan(urls);
        for (const verdict of result.verdicts) urlsTotal.inc({ outcome: verdict.outcome, source: sourceOf(verdict) });
        return result;
      } catch (error) {
        urlsTotal.inc({ outcome: 'unavailable', source: 'none' }, urls.length);
        throw error;
      } finally {
        durations.observe((performance.now() - startedAt) / 1_000);
      }
    },
  };
}

function sourceOf({ outcome, reasons }: Verdict): 'feed' | 'rule' | 'policy' | 'none' {
  if (outcome === 'refused') return 'policy';
  if (reasons.length === 0) return 'none';
  return reasons.some(({ rule }) => rule.startsWith('feed:')) ? 'feed' : 'rule';
}
