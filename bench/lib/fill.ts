/** Many links and clicks, made by the engines themselves while the product is stopped: one process at a time has them. */
import path from 'node:path';
import { startEmbeddedClickHouse, startEmbeddedPostgres } from '../../libs/adapter-embedded/src/index.ts';
import { asAdministrator } from '../../libs/adapter-postgres/src/database.ts';

export type Clicks = Awaited<ReturnType<typeof startEmbeddedClickHouse>>['client'];
type Sql = Parameters<Parameters<typeof asAdministrator>[2]>[0];

export async function withPostgres<T>(dataDir: string, work: (db: Sql) => Promise<T>): Promise<T> {
  const engine = await startEmbeddedPostgres(path.join(dataDir, 'postgres'), console.error);
  try {
    return await asAdministrator({ host: engine.host, user: engine.user }, 'waypost', work);
  } finally {
    await engine.stop();
  }
}

export async function withClickHouse<T>(dataDir: string, work: (client: Clicks) => Promise<T>): Promise<T> {
  const { client, stop } = await startEmbeddedClickHouse(path.join(dataDir, 'clickhouse'));
  try {
    return await work(client);
  } finally {
    await stop();
  }
}

const STATUSES = {
  active: `'active'`,
  revoked: `'revoked'`,
  mixed: `CASE WHEN n % 50 = 0 THEN 'revoked' WHEN n % 51 = 0 THEN 'flagged' ELSE 'active' END`,
};

/**
 * `PREFIX1` to `PREFIXn`, a second apart, all with one of a hundred tags and, unless `common` says otherwise, every
 * second with the tag `common`.
 */
export async function fillLinks(
  db: Sql,
  {
    email,
    prefix,
    count,
    status = 'active',
    common = 2,
  }: { email: string; prefix: string; count: number; status?: keyof typeof STATUSES; common?: number },
): Promise<void> {
  await db.query(
    `INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, revoked_at, scanned_at, scan_generation, version)
    SELECT $1 || n, (SELECT id FROM accounts WHERE email = $2),
      'https://www.site' || n % 400 || '.example.org/a/page/of/usual/length/' || n || '?campaign=autumn', status,
      CASE WHEN n % $3 = 0 THEN ARRAY['common', 'tag-' || n % 100] ELSE ARRAY['tag-' || n % 100] END,
      made, made, CASE WHEN status = 'revoked' THEN now() END, made, '1', 1
    FROM generate_series(1, $4::int) n,
      LATERAL (SELECT now() - n * interval '1 second' AS made, ${STATUSES[status]} AS status) t`,
    [prefix, email, common, count],
  );
  await db.query('VACUUM ANALYZE');
}

/** Of one link, evenly over the last 89 days, by 300,000 visitors. */
export async function fillClicks(client: Clicks, slug: string, clicks: number): Promise<void> {
  await client.command({
    query: `INSERT INTO waypost.clicks ${CLICK_COLUMNS} SELECT ${clickOf(`'${slug}'`, clicks)} FROM numbers(${clicks})`,
  });
}

export const CLICK_COLUMNS = '(event_id, slug, clicked_at, visitor_hash, country, referrer, device, browser, is_bot)';

/** The values of `CLICK_COLUMNS` for the click with the `number` of `clicks` in all. `slug` is an expression. */
export function clickOf(slug: string, clicks: number): string {
  return `generateUUIDv4(), ${slug}, subtractSeconds(now64(3), intDiv(number * 89 * 86400, ${clicks})),
    cityHash64(number % 300000), ['DE', 'US', 'FR', 'GB', 'ZZ'][1 + cityHash64(number) % 5],
    concat('site', toString(cityHash64(number, 1) % 300), '.example'),
    ['desktop', 'mobile', 'tablet'][1 + cityHash64(number, 2) % 3],
    ['Chrome', 'Firefox', 'Safari'][1 + cityHash64(number, 3) % 3], number % 20 = 0`;
}
