export type { Client } from 'pg';
export { from as copyFrom, to as copyTo } from 'pg-copy-streams';
export { type DatabaseAddress, databaseAddress, POSTGRES } from './address.ts';
export { asAdministrator, createDatabase, type DatabaseOptions } from './connect.ts';
export {
  binding,
  called,
  calling,
  connection,
  Database,
  deleteInPieces,
  execute,
  inPieces,
  inTransaction,
  isUuid,
  PIECE,
  type PoolClient,
  pingDatabase,
  prepared,
  type Queries,
  rows,
  sqlState,
  Transaction,
  translated,
  translating,
  UNIQUE_VIOLATION,
} from './database.ts';
export { eventualDatabase } from './eventual-database.ts';
export { becomesLeader, SILENT_MS } from './leader-lock.ts';
export { POOL_METRICS, poolMetrics } from './metrics.ts';
export { openDatabase } from './open-database.ts';
export { migrationNames, type Right, type ServiceSchema, sqlMigration } from './schema.ts';
