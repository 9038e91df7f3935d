/**
 * The rights of each service in PostgreSQL. `prepare` owns the schema and grants them after each migration. An
 * administrator creates the roles once (deploy/postgres/roles.sql). A role that does not exist gets nothing.
 */
import type { QueryRunner } from 'typeorm';

/** A service may use its own tables (decision 0021) and some columns of another service's tables. */
const GRANTS = {
  waypost_api: [
    `SELECT, INSERT, UPDATE, DELETE ON accounts, sign_in_links, first_run, sessions, sign_in_attempts, passkeys, passkey_challenges,
     identities, api_keys, links, link_verdicts, link_reviews,
     creation_quota, idempotency_keys, outbox, cache_generation, imported_clicks, webhooks, webhook_clicks,
     webhook_deliveries, account_deletions`,
    'SELECT, INSERT, UPDATE ON cases',
    // Nobody may change or delete entries of the audit log.
    'SELECT, INSERT ON audit_log',
    'SELECT ON migrations',
    'USAGE ON ALL SEQUENCES IN SCHEMA public',
    'EXECUTE ON FUNCTION create_links, insert_links, forget_person',
  ],
  waypost_redirector: [
    'SELECT (slug, owner_id, status, destination_url, threat_type, revoked_at, scanned_at, preview_first, version) ON links',
    'SELECT ON cache_generation',
    'SELECT ON migrations',
  ],
  waypost_scanner: [
    'SELECT, INSERT, DELETE ON scanner_keys, scanner_files',
    'SELECT, INSERT, UPDATE ON scanner_state',
    'SELECT, INSERT, UPDATE, DELETE ON scanner_links, scanner_looks, scanner_hosts, deep_scans',
    'SELECT ON migrations',
  ],
} as const;

export type ServiceRole = keyof typeof GRANTS;
export const SERVICE_ROLES = Object.keys(GRANTS) as readonly ServiceRole[];

/** Revokes all rights first, because an older version may have granted more. */
export async function grant(runner: QueryRunner): Promise<void> {
  const existing = (await runner.query('SELECT rolname AS role FROM pg_roles WHERE rolname = ANY($1)', [
    SERVICE_ROLES,
  ])) as { role: ServiceRole }[];
  if (existing.length === 0) return;
  await runner.startTransaction();
  // By default PostgreSQL lets every user run a new function.
  await runner.query('REVOKE ALL ON FUNCTION create_links, insert_links, forget_person FROM PUBLIC');
  for (const { role } of existing) {
    await runner.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`);
    await runner.query(`REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${role}`);
    await runner.query(`REVOKE ALL ON FUNCTION create_links, insert_links, forget_person FROM ${role}`);
    for (const right of GRANTS[role]) await runner.query(`GRANT ${right} TO ${role}`);
  }
  await runner.commitTransaction();
}
