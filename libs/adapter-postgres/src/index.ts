export { postgresAccounts, postgresApiKeys } from './accounts.ts';
export { type DatabaseAddress, databaseAddress, POSTGRES } from './address.ts';
export { postgresCacheGeneration } from './cache-generation.ts';
export { asAdministrator, createDatabase, type DatabaseOptions, openDatabase, pingDatabase } from './database.ts';
export { SERVICE_ROLES } from './grants.ts';
export { postgresIdempotencyStore } from './idempotency-store.ts';
export { postgresLinkExpressions, postgresLinkReader } from './link-reader.ts';
export { postgresLinkStore } from './link-store.ts';
export { postgresOutbox } from './outbox.ts';
