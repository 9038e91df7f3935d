import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RedirectRecord } from '@waypost/domain';
import type { LinkCache } from '@waypost/ports';
import { createRedirector, type Redirector } from '@waypost/redirector';
import type { HealthCheck, Logger } from '@waypost/telemetry';
import { CLICK_LOG } from './backup.ts';
import type { Config } from './config.ts';
import type { Engines } from './engines.ts';
import type { OwnSettings } from './visitor-thread.ts';

const CACHED_LINKS = 200_000;
/**
 * Up to this number of new links, the threads get the complete records. Copying more would take milliseconds, so the
 * threads get only slugs and read a link when it is visited.
 */
const RECORDS_MAX = 10;
const CLICK_LOG_MAX_BYTES = 10 * 1024 ** 3;

export function redirectorOf(
  config: Config,
  { bus, database, visitorSecret }: Engines,
  logger: Logger,
  health: Readonly<Record<string, HealthCheck>>,
): Redirector {
  return createRedirector<OwnSettings>({
    ...config,
    threads: config.redirectWorkers,
    threadModule: new URL('./visitor-thread.ts', import.meta.url),
    own: { database, cachedLinks: CACHED_LINKS },
    // A link in memory needs no database.
    threadDependencies: ['database'],
    health,
    port: config.redirectPort,
    bus,
    clickLogDir: path.join(config.dataDir, CLICK_LOG),
    clickLogMaxBytes: CLICK_LOG_MAX_BYTES,
    visitorSecret,
    microCache: { lifetimeMs: Number.POSITIVE_INFINITY, size: CACHED_LINKS },
    reportBaseUrl: config.baseUrl,
    contact: config.baseUrl,
    logger,
    now: Date.now,
  });
}

/** The links in the memory of the visitor threads. New links of one turn of the event loop share a message. */
export function cacheOf(
  redirector: Pick<Redirector, 'changed' | 'created'>,
): Pick<LinkCache, 'announce' | 'put' | 'replace'> {
  let group: { readonly records: RedirectRecord[]; readonly sent: Promise<void> } | undefined;

  async function send(): Promise<void> {
    await nextTurn();
    const { records } = group!;
    group = undefined;
    await (records.length <= RECORDS_MAX
      ? redirector.changed(records)
      : redirector.created(records.map(({ slug }) => slug)));
  }

  return {
    announce(records) {
      group ??= { records: [], sent: send() };
      group.records.push(...records);
      return group.sent;
    },
    put: (changed) => redirector.changed(changed),
    replace: (changed) => redirector.changed(changed),
  };
}
