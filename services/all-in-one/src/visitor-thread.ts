/** The thread of visitors in the one process: links from PostgreSQL over connections of its own, held in memory. */
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { openDatabase, pingDatabase, postgresLinkReader } from '@waypost/adapter-postgres';
import { runVisitorThread } from '@waypost/redirector';
import { errorFields } from '@waypost/telemetry';

export interface OwnSettings {
  readonly database: { readonly host: string; readonly user: string; readonly database: string };
  readonly cachedLinks: number;
}

runVisitorThread<OwnSettings>(async ({ own, logger, stack }) => {
  let closing = false;
  const db = await openDatabase({
    ...own.database,
    poolSize: 4,
    migrate: false,
    onIdleError: (error) => closing || logger.error('database connection lost', errorFields(error)),
  });
  stack.push(async () => {
    closing = true; // its connections end while the server does: nothing to tell
    await db.destroy();
  });
  return {
    // Told of every change: a thread's calls are the only way by which links change here.
    cache: inProcessLinkCache({ size: own.cachedLinks }),
    reader: postgresLinkReader(db),
    checks: { database: { required: false, check: () => pingDatabase(db).then(() => ({ ok: true })) } },
  };
});
