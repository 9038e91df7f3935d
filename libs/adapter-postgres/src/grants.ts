/**
 * What each service may do with PostgreSQL, told to it after each migration by the schema's owner, `prepare`. The roles
 * themselves are made once, by an administrator (deploy/postgres/roles.sql); where they are not, nothing is granted.
 */
import type { QueryRunner } from 'typeorm';

/** A service has its own tables (decision 0021). Of another's, the columns that it reads are named. */
const GRANTS = {
  waypost_api: [
    `SELECT, INSERT, UPDATE, DELETE ON accounts, sign_in_links, api_keys, links, link_verdicts, link_reviews,
     creation_quota, idempotency_keys, outbox, cache_generation`,
    'SELECT ON migrations',
    'USAGE ON ALL SEQUENCES IN SCHEMA public',
    'EXECUTE ON FUNCTION create_links',
  ],
  waypost_redirector: [
    'SELECT (slug, status, destination_url, threat_type, revoked_at, scanned_at, version) ON links',
    'SELECT ON cache_generation',
    'SELECT ON migrations',
  ],
  waypost_scanner: ['SELECT, INSERT, DELETE ON scanner_links, scanner_keys', 'SELECT ON migrations'],
} as const;

export type ServiceRole = keyof typeof GRANTS;
export const SERVICE_ROLES = Object.keys(GRANTS) as readonly ServiceRole[];

/** Takes away first, so that what an older version was granted does not stay. */
export async function grant(runner: QueryRunner): Promise<void> {
  const there = (await runner.query('SELECT rolname AS role FROM pg_roles WHERE rolname = ANY($1)', [
    SERVICE_ROLES,
  ])) as { role: ServiceRole }[];
  if (there.length === 0) return;
  await runner.startTransaction();
  // PostgreSQL lets everybody run a new function.
  await runner.query('REVOKE ALL ON FUNCTION create_links FROM PUBLIC');
  for (const { role } of there) {
    await runner.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`);
    await runner.query(`REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${role}`);
    await runner.query(`REVOKE ALL ON FUNCTION create_links FROM ${role}`);
    for (const right of GRANTS[role]) await runner.query(`GRANT ${right} TO ${role}`);
  }
  await runner.commitTransaction();
}
