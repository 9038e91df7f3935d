export type { Client } from 'pg';
export { from as copyFrom, to as copyTo } from 'pg-copy-streams';
export { type DatabaseAddress, databaseAddress, POSTGRES } from './address.ts';
export { postgresArchive } from './archive.ts';
export {
  asAdministrator,
  binding,
  called,
  calling,
  connection,
  createDatabase,
  type DatabaseOptions,
  deleteInPieces,
  execute,
  inPieces,
  inTransaction,
  isUuid,
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
export { becomesLeader, SILENT_MS } from './leader-lock.ts';
export { POOL_METRICS, poolMetrics } from './metrics.ts';
export { migrationNames, type Right, type ServiceSchema, sqlMigration } from './schema.ts';
