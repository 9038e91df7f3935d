export { type DatabaseAddress, databaseAddress, POSTGRES } from './address.ts';
export { postgresArchive } from './archive.ts';
export { postgresCacheGeneration } from './cache-generation.ts';
export {
  asAdministrator,
  binding,
  called,
  calling,
  connection,
  createDatabase,
  type DatabaseOptions,
  inPieces,
  inTransaction,
  isUuid,
  MIGRATION_NAMES,
  openDatabase,
  PIECE,
  type PoolClient,
  pingDatabase,
  prepared,
  rows,
  sqlState,
  translated,
  translating,
  UNIQUE_VIOLATION,
} from './database.ts';
export { eventualDatabase } from './eventual-database.ts';
export { SERVICE_ROLES } from './grants.ts';
export { becomesLeader, SILENT_MS } from './leader-lock.ts';
export { postgresLinkReader } from './link-reader.ts';
export { POOL_METRICS, poolMetrics } from './metrics.ts';
export { outboxWaker, postgresOutbox } from './outbox.ts';
