/**
 * The rights of each service in PostgreSQL. `prepare` owns the schema and grants them after each migration. An
 * administrator creates the roles once (deploy/postgres/roles.sql). A role that does not exist gets nothing.
 */
import type { QueryRunner } from 'typeorm';

/** A service may use its own tables (decision 0021) and some columns of another service's tables. */
const GRANTS = {
  waypost_api: [
    `SELECT, INSERT, UPDATE, DELETE ON sign_in_links, first_run, sessions, devices, sign_in_attempts, passkeys,
     creation_quota, idempotency_keys, imported_clicks, imported_days, webhooks,
     webhook_deliveries, account_deletions`,
    'SELECT, INSERT, DELETE ON accounts, identities, api_keys, link_verdicts, link_reviews, outbox, used_challenges',
    // Nobody deletes a link, so that its slug is never used again.
    'SELECT, INSERT ON links',
    'SELECT, INSERT, UPDATE, DELETE ON cases',
    'SELECT, INSERT, DELETE ON operator_notices',
    'SELECT, UPDATE ON cache_generation',
    'UPDATE (next_mail_at, listings_noted_at) ON installation',
    // Nobody may change or delete entries of the audit log.
    'SELECT, INSERT ON audit_log',
    'SELECT ON migrations, installation',
    'USAGE ON ALL SEQUENCES IN SCHEMA public',
    'EXECUTE ON FUNCTION create_links, insert_links',
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
    'EXECUTE ON FUNCTION note_feed',
  ],
} as const;

/**
 * link-api may change every column of these tables except the named ones. An account with another address could take
 * over what the audit log says about that address.
 */
const FIXED_COLUMNS = {
  links: ['id', 'slug', 'owner_id', 'created_at'],
  accounts: ['id', 'email', 'created_at'],
  api_keys: ['id', 'account_id', 'scopes', 'key_hash', 'created_at', 'expires_at'],
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
  await runner.query('REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC');
  for (const { role } of existing) {
    await runner.query(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${role}`);
    await runner.query(`REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM ${role}`);
    await runner.query(`REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM ${role}`);
    for (const right of GRANTS[role]) await runner.query(`GRANT ${right} TO ${role}`);
  }
  if (existing.some(({ role }) => role === 'waypost_api'))
    for (const [table, fixed] of Object.entries(FIXED_COLUMNS)) {
      const [columns] = await runner.query(
        `SELECT string_agg(quote_ident(attname), ', ') AS names FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attname <> ALL($2)`,
        [table, fixed],
      );
      await runner.query(`GRANT UPDATE (${columns.names}) ON ${table} TO waypost_api`);
    }
  await runner.commitTransaction();
}
