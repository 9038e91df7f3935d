export { postgresAccountDeletions } from './account-deletions.ts';
export { postgresAccounts, postgresApiKeys } from './accounts.ts';
export { type DatabaseAddress, databaseAddress, POSTGRES } from './address.ts';
export { postgresArchive } from './archive.ts';
export { postgresAuditLog } from './audit-log.ts';
export { postgresCacheGeneration } from './cache-generation.ts';
export { postgresCases } from './cases.ts';
export {
  asAdministrator,
  createDatabase,
  type DatabaseOptions,
  MIGRATION_NAMES,
  openDatabase,
  pingDatabase,
} from './database.ts';
export { postgresDeepScanQueue } from './deep-scan-queue.ts';
export { type EventualDatabase, eventualDatabase } from './eventual-database.ts';
export { SERVICE_ROLES } from './grants.ts';
export { postgresIdempotencyStore } from './idempotency-store.ts';
export { postgresIdentities } from './identities.ts';
export { postgresLinkApiStores } from './link-api-stores.ts';
export { postgresLinkImports } from './link-imports.ts';
export { postgresLinkReader } from './link-reader.ts';
export { postgresLinkStore } from './link-store.ts';
export { postgresLookQueue } from './look-queue.ts';
export { POOL_METRICS, poolMetrics } from './metrics.ts';
export { postgresOutbox } from './outbox.ts';
export { postgresPasskeys } from './passkeys.ts';
export { postgresPersonalData } from './personal-data.ts';
export { postgresScannedLinks } from './scanned-links.ts';
export { postgresSessions, postgresSignInAttempts } from './sessions.ts';
export { postgresSharedThreatData } from './shared-threat-data.ts';
export { postgresWebhookQueue } from './webhook-queue.ts';
export { postgresWebhooks } from './webhooks.ts';
