/** Many links, made by PostgreSQL itself while the product is stopped: one process at a time has it. */
import path from 'node:path';
import { startEmbeddedPostgres } from '../../libs/adapter-embedded/src/index.ts';
import { asAdministrator } from '../../libs/adapter-postgres/src/database.ts';

type Sql = Parameters<Parameters<typeof asAdministrator>[2]>[0];

export async function withPostgres<T>(dataDir: string, work: (db: Sql) => Promise<T>): Promise<T> {
  const engine = await startEmbeddedPostgres(path.join(dataDir, 'postgres'), console.error);
  try {
    return await asAdministrator({ host: engine.host, user: engine.user }, 'waypost', work);
  } finally {
    await engine.stop();
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
