import type { ThreatFeeds } from '@waypost/ports';
import type { HealthCheck } from '@waypost/telemetry';
import { readiness } from '@waypost/telemetry/health';

interface Deps {
  readonly health: Readonly<Record<string, HealthCheck>>;
  readonly feeds: ThreatFeeds;
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
  readonly now: () => Date;
}

interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Says what to do when a health check fails. The check's own detail says what is wrong. */
const ADVICE: Readonly<Record<string, string>> = {
  database: 'No links can be created. Check that PostgreSQL runs and that DATABASE_URL is correct.',
  redis: 'Redirects use PostgreSQL until Redis works. Check that Redis runs and that REDIS_URL is correct.',
  kafka: 'Clicks stay on disk until Kafka works. Check that Kafka runs and that KAFKA_BROKERS is correct.',
  clickhouse: 'Analytics are unavailable. Check that ClickHouse runs and that CLICKHOUSE_URL is correct.',
  scanner: 'No links can be created. Check its log, or import a feed with `admin import-feed`.',
  disk: 'Free disk space, or move DATA_DIR.',
  clock: 'Set the clock with NTP. Ends of links, quotas, sessions and statistics depend on it.',
  redirectors: 'Read /readyz on the internal port of each redirector. If it is the clock, links end too early or late.',
  proxies: 'Add the proxy to TRUSTED_PROXIES. Otherwise one client can use up the limits of all.',
  visitor_proxies: 'Add the proxy to TRUSTED_PROXIES. Otherwise all visitors count as one.',
  click_log: 'Clicks may be lost. Free disk space, and check the log of the redirector.',
};

/** Never rejects: a check that cannot run is reported as a failure. */
export async function doctor({ health, feeds, baseUrl, redirectBaseUrl, now }: Deps) {
  const { dependencies } = await readiness(health);
  const states = Object.entries(dependencies).map(([name, { ok, detail }]): Finding => {
    const result = detail ?? (ok ? 'works' : 'no response');
    return { name, ok, detail: ok ? result : [result, ADVICE[name]].filter(Boolean).join('. ') };
  });
  const checks = [
    ...states,
    ...(await feedFindings(feeds)),
    addressFinding('BASE_URL', baseUrl),
    addressFinding('REDIRECT_BASE_URL', redirectBaseUrl),
    time(now()),
  ];
  return { ok: checks.every(({ ok }) => ok), checks };
}

async function feedFindings(threatFeeds: ThreatFeeds): Promise<Finding[]> {
  const feeds = await threatFeeds.list().catch(() => undefined);
  if (feeds === undefined) return [{ name: 'feeds', ok: false, detail: 'the scanner cannot list its feeds' }];
  const stale = feeds.flatMap((feed) => (feed.stale ? feed.name : []));
  const listings = feeds.flatMap(({ name, own_addresses: [first, ...others], removal_url }) => {
    if (first === undefined) return [];
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const where = removal_url === null ? '' : ` (ask for removal at ${removal_url})`;
    return `${name} lists ${first.entry}${more} since ${first.since.slice(0, 10)}${where}`;
  });
  const advice =
    'Browsers and mail filters may refuse all links. The dashboard (Admin, Feeds) has figures for a removal request.';
  return [
    {
      name: 'feeds',
      ok: true,
      detail: stale.length === 0 ? 'all up to date' : `out of date: ${stale.join(', ')}`,
    },
    {
      name: 'own_addresses',
      ok: listings.length === 0,
      detail: listings.length === 0 ? 'no feed lists this service' : `${listings.join('; ')}. ${advice}`,
    },
  ];
}

const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function addressFinding(name: string, url: string): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return { name, ok: true, detail: url };
  if (LOCAL.test(hostname)) return { name, ok: true, detail: `${url}, reachable from this machine only` };
  return {
    name,
    ok: false,
    detail: `${url} is not encrypted, so keys and sessions can be intercepted. Add a TLS proxy and set ${name} to its https address.`,
  };
}

/** No release is older than this, so an earlier clock is wrong. */
const EARLIEST = Date.parse('2026-11-01T00:00:00Z');

function time(now: Date): Finding {
  const ok = now.getTime() > EARLIEST;
  return { name: 'time', ok, detail: ok ? now.toISOString() : `${now.toISOString()} is in the past. Set the clock.` };
}
