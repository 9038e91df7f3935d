import { outboxWaker, postgresOutbox } from '@waypost/postgres';
import type { DataSource } from 'typeorm';
import { postgresAccountDeletions } from './account-deletions.sql.ts';
import { postgresAccounts } from './accounts.sql.ts';
import { postgresAuditLog } from './audit-log.sql.ts';
import { postgresCases } from './cases.sql.ts';
import { postgresIdempotencyStore } from './idempotency.sql.ts';
import { postgresIdentities } from './identities.sql.ts';
import { postgresInstallationSecret } from './installation-secret.sql.ts';
import { postgresApiKeys } from './keys.sql.ts';
import { postgresLinkImports } from './link-imports.sql.ts';
import { postgresLinkStore } from './links.sql.ts';
import { postgresNotices } from './notices.sql.ts';
import { postgresOwnListings } from './own-listings.sql.ts';
import { postgresPasskeys } from './passkeys.sql.ts';
import { postgresPersonalData } from './personal-data.sql.ts';
import { postgresSessions, postgresSignInAttempts } from './sessions.sql.ts';
import { postgresWebhookQueue } from './webhook-queue.sql.ts';
import { postgresWebhooks } from './webhooks.sql.ts';

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
