/** The visitors' thread of the one process: reads links from PostgreSQL over its own connections, and caches them. */
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { openDatabase, pingDatabase, postgresLinkReader } from '@waypost/adapter-postgres';
import { runVisitorThread } from '@waypost/redirector';
import { errorFields } from '@waypost/telemetry';
import { CONNECTIONS_OF_A_THREAD } from './connections.ts';

export interface OwnSettings {
  readonly database: { readonly host: string; readonly user: string; readonly database: string };
  readonly cachedLinks: number;
}

runVisitorThread<OwnSettings>(async ({ own, logger, stack }) => {
  let closing = false;
  const db = await openDatabase({
    ...own.database,
    poolSize: CONNECTIONS_OF_A_THREAD,
    migrate: false,
    onIdleError: (error) => closing || logger.error('database connection lost', errorFields(error)),
  });
  stack.push(async () => {
    closing = true; // the server ends its connections: nothing to log
    await db.destroy();
  });
  return {
    // Always up to date: in the one process, every change of a link is also sent to this thread.
    cache: inProcessLinkCache({ size: own.cachedLinks }),
    reader: postgresLinkReader(db),
    checks: { database: { required: false, check: () => pingDatabase(db).then(() => ({ ok: true })) } },
  };
});
