/** The visitors' thread of all-in-one. It has its own connections to PostgreSQL and keeps links in memory. */
import { inProcessLinkCache } from '@waypost/adapter-embedded/link-cache';
import { postgresLinkReader } from '@waypost/link-api-schema';
import { openDatabase, pingDatabase } from '@waypost/postgres';
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
    onIdleError: (error) => closing || logger.error('a database connection was lost', errorFields(error)),
  });
  stack.defer(async () => {
    closing = true; // the server then ends its connections, which is no error
    await db.close();
  });
  return {
    // This cache never has an old version, because the process sends every change of a link to this thread.
    cache: inProcessLinkCache({ size: own.cachedLinks }),
    reader: postgresLinkReader(db),
    checks: { database: { required: false, check: () => pingDatabase(db).then(() => ({ ok: true })) } },
  };
});
