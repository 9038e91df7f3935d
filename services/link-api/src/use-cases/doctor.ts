/** What an operator should look at, and what to do about it. */
import { type HealthCheck, readiness } from '@waypost/telemetry/health';

interface Deps {
  readonly health: Readonly<Record<string, HealthCheck>>;
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
  readonly now: () => Date;
}

export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  /** What was found, and what to do if it is not ok. */
  readonly detail: string;
}

export interface Diagnosis {
  readonly ok: boolean;
  readonly checks: readonly Finding[];
}

/** For those of `health` that are not ok; their own detail says what is wrong. */
const ADVICE: Readonly<Record<string, string>> = {
  database: 'Without it nothing can be created. See whether PostgreSQL runs, and DATABASE_URL.',
  redis: 'Redirects read from PostgreSQL meanwhile. See whether Redis runs, and REDIS_URL.',
  kafka: 'Clicks wait on disk meanwhile. See whether Kafka runs, and KAFKA_BROKERS.',
  clickhouse: 'Analytics are not available meanwhile. See whether ClickHouse runs, and CLICKHOUSE_URL.',
  scanner: 'Without it nothing can be created. See its log, and import a feed with `admin import-feed`.',
  disk: 'Make room, or move DATA_DIR.',
  clock: 'Set the clock with NTP; quotas, sessions and statistics depend on it.',
  click_log: 'Clicks may be lost. Make room on the disk, and see the log of the redirector.',
};

/** Never rejects: what cannot be looked at is a finding. */
export async function doctor({ health, baseUrl, redirectBaseUrl, now }: Deps): Promise<Diagnosis> {
  const { dependencies } = await readiness(health);
  const states = Object.entries(dependencies).map(([name, { ok, detail }]): Finding => {
    const found = detail ?? (ok ? 'works' : 'does not answer');
    return { name, ok, detail: ok ? found : [found, ADVICE[name]].filter(Boolean).join('. ') };
  });
  const checks = [
    ...states,
    addressed('BASE_URL', baseUrl),
    addressed('REDIRECT_BASE_URL', redirectBaseUrl),
    time(now()),
  ];
  return { ok: checks.every(({ ok }) => ok), checks };
}

const LOCAL = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function addressed(name: string, url: string): Finding {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return { name, ok: true, detail: url };
  if (LOCAL.test(hostname)) return { name, ok: true, detail: `${url}: for this machine only` };
  return {
    name,
    ok: false,
    detail: `${url} is not encrypted: anybody on the way reads keys and sessions. Put TLS in front, and set ${name} to https.`,
  };
}

/** No release is older than this. */
const EARLIEST = Date.parse('2026-11-01T00:00:00Z');

function time(now: Date): Finding {
  const ok = now.getTime() > EARLIEST;
  return { name: 'time', ok, detail: ok ? now.toISOString() : `${now.toISOString()} is in the past. Set the clock.` };
}
