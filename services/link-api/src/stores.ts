import { outboxWaker, postgresOutbox } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import { postgresAccountDeletions } from './privacy/account-deletions.sql.ts';
import { postgresAccounts } from './accounts/accounts.sql.ts';
import { postgresIdentities } from './accounts/oidc/identities.sql.ts';
import { postgresPasskeys } from './accounts/passkeys/passkeys.sql.ts';
import { postgresPersonalData } from './privacy/personal-data.sql.ts';
import { postgresSessions, postgresSignInAttempts } from './accounts/sessions.sql.ts';
import { postgresAuditLog } from './audit/audit-log.sql.ts';
import { postgresApiKeys } from './keys/keys.sql.ts';
import { postgresIdempotencyStore } from './links/idempotency.sql.ts';
import { postgresLinkImports } from './links/link-imports.sql.ts';
import { postgresLinkStore } from './links/links.sql.ts';
import { postgresCases } from './moderation/cases.sql.ts';
import { postgresOwnListings } from './moderation/own-listings.sql.ts';
import { postgresNotices } from './notices/notices.sql.ts';
import { postgresInstallationSecret } from './platform/installation-secret.sql.ts';
import { postgresWebhookQueue } from './webhooks/webhook-queue.sql.ts';
import { postgresWebhooks } from './webhooks/webhooks.sql.ts';

/** Makes all stores of link-api. `creationsPerHour` applies to accounts without their own limit. */
export function postgresLinkApiStores(
  db: DataSource,
  limits: { readonly creationsPerHour: number },
  onRelayError: (error: unknown) => void,
) {
  const wakeOutbox = outboxWaker(db);
  return {
    accounts: postgresAccounts(db),
    deletions: postgresAccountDeletions(db, wakeOutbox),
    keys: postgresApiKeys(db, limits),
    sessions: postgresSessions(db, limits),
    attempts: postgresSignInAttempts(db),
    audit: postgresAuditLog(db),
    cases: postgresCases(db, wakeOutbox),
    ownListings: postgresOwnListings(db),
    passkeys: postgresPasskeys(db),
    secret: postgresInstallationSecret(db),
    personalData: postgresPersonalData(db),
    identities: postgresIdentities(db),
    links: postgresLinkStore(db, limits, wakeOutbox),
    imports: postgresLinkImports(db, wakeOutbox),
    notices: postgresNotices(db),
    idempotency: postgresIdempotencyStore(db),
    outbox: postgresOutbox(db, onRelayError),
    webhooks: postgresWebhooks(db),
    webhookQueue: postgresWebhookQueue(db),
  };
}
