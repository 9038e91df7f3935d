/**
 * What each service may do with PostgreSQL, told to it after each migration by the schema's owner, `prepare`. The roles
 * themselves are made once, by an administrator (deploy/postgres/roles.sql); where they are not, nothing is granted.
 */
import type { QueryRunner } from 'typeorm';

/** Each column that a service reads is named: what it does not read, it cannot. */
const GRANTS = {
  waypost_api: [
    'SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public',
    'USAGE ON ALL SEQUENCES IN SCHEMA public',
  ],
  waypost_redirector: [
    'SELECT (slug, status, destination_url, threat_type, revoked_at, scanned_at, version) ON links',
    'SELECT ON cache_generation',
    'SELECT ON migrations',
  ],
  waypost_scanner: [
    'SELECT (slug, status, destination_url) ON links',
    'SELECT ON link_expressions',
    'SELECT (key, expressions) ON outbox',
    'SELECT ON migrations',
  ],
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
  for (const { role } of there) {
    await runner.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`);
    await runner.query(`REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${role}`);
    for (const right of GRANTS[role]) await runner.query(`GRANT ${right} TO ${role}`);
    if (role === 'waypost_api') await runner.query('REVOKE INSERT, UPDATE, DELETE ON migrations FROM waypost_api');
  }
  await runner.commitTransaction();
}
