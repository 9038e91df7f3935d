export { type DatabaseAddress, databaseAddress, POSTGRES } from './address.ts';
export { postgresArchive } from './archive.ts';
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
export { postgresLinkApiStores } from './link-api-stores.ts';
export { postgresLinkReader } from './link-reader.ts';
export { postgresLookQueue } from './look-queue.ts';
export { POOL_METRICS, poolMetrics } from './metrics.ts';
export { postgresOutbox } from './outbox.ts';
export { postgresScannedLinks } from './scanned-links.ts';
export { postgresSharedThreatData } from './shared-threat-data.ts';
export { postgresWebhookQueue } from './webhook-queue.ts';
