export { postgresAccounts, postgresApiKeys } from './accounts.ts';
export { postgresCacheGeneration } from './cache-generation.ts';
export { createDatabase, type DatabaseOptions, databaseAddress, openDatabase, pingDatabase } from './database.ts';
export { postgresIdempotencyStore } from './idempotency-store.ts';
export { postgresLinkExpressions, postgresLinkReader } from './link-reader.ts';
export { postgresLinkStore } from './link-store.ts';
export { postgresOutbox } from './outbox.ts';
