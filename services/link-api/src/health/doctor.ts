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
  database: 'Without it nothing can be created. See whether PostgreSQL runs, and DATABASE_URL.',
  redis: 'Redirects read from PostgreSQL meanwhile. See whether Redis runs, and REDIS_URL.',
  kafka: 'Clicks wait on disk meanwhile. See whether Kafka runs, and KAFKA_BROKERS.',
  clickhouse: 'Analytics are not available meanwhile. See whether ClickHouse runs, and CLICKHOUSE_URL.',
  scanner: 'Without it nothing can be created. See its log, and import a feed with `admin import-feed`.',
  disk: 'Make room, or move DATA_DIR.',
  clock: 'Set the clock with NTP; quotas, sessions and statistics depend on it.',
  proxies: 'Add it, so that one client cannot use up the limits of all.',
  visitor_proxies: 'Add it, so that visitors can be told apart.',
  click_log: 'Clicks may be lost. Make room on the disk, and see the log of the redirector.',
};

/** Never rejects: a check that cannot run is reported as a failure. */
export async function doctor({ health, feeds, baseUrl, redirectBaseUrl, now }: Deps) {
  const { dependencies } = await readiness(health);
  const states = Object.entries(dependencies).map(([name, { ok, detail }]): Finding => {
    const result = detail ?? (ok ? 'works' : 'does not answer');
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
  if (feeds === undefined) return [{ name: 'feeds', ok: false, detail: 'the scanner does not tell of its feeds' }];
  const stale = feeds.flatMap((feed) => (feed.stale ? feed.name : []));
  const listings = feeds.flatMap(({ name, own_addresses: [first, ...others], removal_url }) => {
    if (first === undefined) return [];
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const where = removal_url === null ? '' : ` (ask for removal at ${removal_url})`;
    return `${name} has ${first.entry}${more} since ${first.since.slice(0, 10)}${where}`;
  });
  const advice =
    'Browsers and mail filters may refuse all links. The feeds in the dashboard have figures for a request.';
  return [
    {
      name: 'feeds',
      ok: true,
      detail: stale.length === 0 ? 'none is out of date' : `nothing new for long in ${stale.join(', ')}`,
    },
    {
      name: 'own_addresses',
      ok: listings.length === 0,
      detail: listings.length === 0 ? 'no feed names this service' : `${listings.join('; ')}. ${advice}`,
    },
  ];
}

const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function addressFinding(name: string, url: string): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return { name, ok: true, detail: url };
  if (LOCAL.test(hostname)) return { name, ok: true, detail: `${url}: for this machine only` };
  return {
    name,
    ok: false,
    detail: `${url} is not encrypted: anybody on the way reads keys and sessions. Put TLS in front, and set ${name} to https.`,
  };
}

/** No release is older than this, so an earlier clock is wrong. */
const EARLIEST = Date.parse('2026-11-01T00:00:00Z');

function time(now: Date): Finding {
  const ok = now.getTime() > EARLIEST;
  return { name: 'time', ok, detail: ok ? now.toISOString() : `${now.toISOString()} is in the past. Set the clock.` };
}
