/** The adapters of the scanner's own ports, for its `main.ts` and for the one process. */
import type { DataSource } from 'typeorm';
import { postgresDeepScanQueue } from './deep-scans/deep-scan-queue.sql.ts';
import { postgresRecheckQueue } from './recheck/recheck-queue.sql.ts';
import { postgresScannedLinks } from './recheck/scanned-links.sql.ts';
import { postgresNoteFeed } from './threats/note-feed.sql.ts';

export { postgresSharedThreatData } from './threats/shared-threat-data.sql.ts';

/** `database` may throw while the database is not available; each method then rejects with that error. */
export const postgresScannerStores = (database: () => DataSource) => ({
  links: postgresScannedLinks(database),
  rechecks: postgresRecheckQueue(database),
  deepScanQueue: postgresDeepScanQueue(database),
  noteFeed: postgresNoteFeed(database),
});
