/**
 * The rights on link-api's tables. `prepare` owns the schema and grants them after each migration. An administrator
 * creates the roles once (deploy/postgres/roles.sql).
 */
import type { Right } from '@waypost/postgres';

/** A service may use its own tables (decision 0021) and some columns of another service's tables. */
export const RIGHTS: Readonly<Record<string, readonly Right[]>> = {
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
    'SELECT ON installation',
    'USAGE ON ALL SEQUENCES IN SCHEMA public',
    'EXECUTE ON FUNCTION create_links, insert_links',
    // An account with another address could take over what the audit log says about that address.
    { update: 'accounts', except: ['id', 'email', 'created_at'] },
    { update: 'links', except: ['id', 'slug', 'owner_id', 'created_at'] },
    { update: 'api_keys', except: ['id', 'account_id', 'scopes', 'key_hash', 'created_at', 'expires_at'] },
  ],
  waypost_redirector: [
    'SELECT (slug, owner_id, status, destination_url, threat_type, revoked_at, ends_at, scanned_at, version) ON links',
    'SELECT ON cache_generation',
  ],
  waypost_scanner: ['EXECUTE ON FUNCTION note_feed'],
};
