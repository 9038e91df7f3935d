import path from 'node:path';
import type { CountryDb } from '@waypost/origin/countries';
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
  countries: CountryDb,
  logger: Logger,
  health: Readonly<Record<string, HealthCheck>>,
): Redirector {
  return createRedirector<OwnSettings>({
    ...config,
    threads: config.redirectWorkers,
    threadModule: new URL('./visitor-thread.ts', import.meta.url),
    own: { database, cachedLinks: CACHED_LINKS },
    countries,
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

/** The links in the memory of the visitor threads. */
export const cacheOf = (
  redirector: Pick<Redirector, 'changed' | 'created'>,
): Pick<LinkCache, 'announce' | 'put' | 'replace'> => ({
  announce: (records) =>
    records.length <= RECORDS_MAX ? redirector.changed(records) : redirector.created(records.map(({ slug }) => slug)),
  put: (changed) => redirector.changed(changed),
  replace: (changed) => redirector.changed(changed),
});
