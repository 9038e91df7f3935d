import type { DataSource } from 'typeorm';
import { postgresAccountDeletions } from './account-deletions.ts';
import { postgresAccounts, postgresApiKeys } from './accounts.ts';
import { postgresAuditLog } from './audit-log.ts';
import { postgresCases } from './cases.ts';
import { postgresIdempotencyStore } from './idempotency-store.ts';
import { postgresIdentities } from './identities.ts';
import { postgresLinkImports } from './link-imports.ts';
import { postgresLinkStore } from './link-store.ts';
import { postgresOutbox } from './outbox.ts';
import { postgresPasskeys } from './passkeys.ts';
import { postgresPersonalData } from './personal-data.ts';
import { postgresSessions, postgresSignInAttempts } from './sessions.ts';
import { postgresWebhookQueue } from './webhook-queue.ts';
import { postgresWebhooks } from './webhooks.ts';

/** Everything that link-api stores. `creationsPerHour` is for accounts without a limit of their own. */
export function postgresLinkApiStores(
  db: DataSource,
  limits: { readonly creationsPerHour: number },
  onRelayError: (error: unknown) => void,
) {
  return {
    accounts: postgresAccounts(db),
    deletions: postgresAccountDeletions(db),
    keys: postgresApiKeys(db, limits),
    sessions: postgresSessions(db, limits),
    attempts: postgresSignInAttempts(db),
    audit: postgresAuditLog(db),
    cases: postgresCases(db),
    passkeys: postgresPasskeys(db),
    personalData: postgresPersonalData(db),
    identities: postgresIdentities(db),
    links: postgresLinkStore(db, limits),
    imports: postgresLinkImports(db),
    idempotency: postgresIdempotencyStore(db),
    outbox: postgresOutbox(db, onRelayError),
    webhooks: postgresWebhooks(db),
    webhookQueue: postgresWebhookQueue(db),
  };
}
