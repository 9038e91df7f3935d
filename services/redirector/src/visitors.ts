/** Answers visitors: a server, its links in memory, and the log that captures each click before its answer. */
import { createServer } from 'node:http';
import type { RedirectRecord, VisitorSecret } from '@waypost/domain';
import type { LinkCache, LinkReader } from '@waypost/ports';
import { clientAddress, SERVER_LIMITS, shardedServer, type TrustedProxies } from '@waypost/process';
import type { Logger, PublicReadiness } from '@waypost/telemetry';
import { type ClickLogState, openClickLog } from './click-log/click-log.ts';
import { readCursor } from './click-log/cursor.ts';
import type { SharedState } from './click-log/shared-state.ts';
import { openCountries } from './country/countries.ts';
import { previewPasses } from './http/passes.ts';
import { redirectListener } from './http/redirect.ts';
import { stopReading } from './http/stop-reading.ts';
import { clickRecorder } from './use-cases/record-click.ts';
import { slugResolver } from './use-cases/resolve-slug.ts';
import type { VisitorCounts } from './visitor-counts.ts';

export interface VisitorSettings {
  /** A folder of this server only. */
  readonly clickLogDir: string;
  readonly clickLogMaxBytes: number;
  /** The same for all replicas. With a new one and no previous one, every visitor counts as new. */
  readonly visitorSecret: VisitorSecret;
  /** Shown on pages. */
  readonly redirectBaseUrl: string;
  /** Where visitors report links: the address of the API. Undefined: nowhere. */
  readonly reportBaseUrl?: string | undefined;
  readonly trustedProxies: TrustedProxies;
  /** A file of `COUNTRY_DB`, or undefined for the shipped table. */
  readonly countryDb: string | undefined;
  /** Of visitors who send `DNT: 1` or `Sec-GPC: 1`; ignored by default. */
  readonly privacySignals?: 'ignore' | 'honour';
  /** URI or e-mail address for security.txt. */
  readonly contact: string;
  /** `lifetimeMs` is how long a revoke must wait; `Infinity` where `cache.watch` reports every change. */
  readonly microCache: { readonly lifetimeMs: number; readonly size: number };
}

export interface VisitorDeps extends VisitorSettings {
  readonly cache: LinkCache;
  readonly reader: LinkReader;
  /** What `/readyz` shows to the public. */
  readonly readiness: () => Promise<PublicReadiness>;
  /** Shared with the shipper. */
  readonly clickLogState: SharedState;
  /** Shared with the main thread. */
  readonly counts: VisitorCounts;
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export interface Visitors {
  /** Resolves to the port. `sharesPort`: other threads have it, too. */
  listen(port: number, host: string, sharesPort?: boolean): Promise<number>;
  /** Announces new links: visitors find them at once. */
  made(slugs: readonly string[]): void;
  /** Replaces changed links. Once it resolves, no older version is used, and what was decided by one is sent. */
  changed(records: readonly RedirectRecord[]): Promise<void>;
  /** From the next click on. */
  rotate(visitorSecret: VisitorSecret): void;
  status(): Promise<VisitorStatus>;
  /** Answers pending requests, writes and syncs every click. */
  stop(): Promise<void>;
}

export interface VisitorStatus extends Omit<ClickLogState, 'problem'> {
  readonly clickLogProblem: string | undefined;
  readonly linksInMemory: number;
  /** The signal by which a platform scales redirectors. */
  readonly openConnections: number;
}

/** More would be an attack: each connection costs memory, and another replica serves a waiting visitor better. */
const MAX_CONNECTIONS = 20_000;

export function createVisitors(deps: VisitorDeps): Visitors {
  const { cache, reader, readiness, clickLogDir: folder, clickLogMaxBytes: maxBytes, counts, logger, now } = deps;
  const afterSegment = readCursor(folder).segment;
  const clickLog = openClickLog({ folder, maxBytes, logger, afterSegment, state: deps.clickLogState });
  const resolve = slugResolver({
    cache,
    reader,
    microCache: deps.microCache,
    onRead: (source) => counts.found(source),
  });

  const countryOf = openCountries(deps.countryDb);
  const keyed = (visitorSecret: VisitorSecret) => ({
    record: clickRecorder({ visitorSecret, countryOf, now }),
    passes: previewPasses(visitorSecret.current, now),
  });
  let { record, passes } = keyed(deps.visitorSecret);
  const { listener, isRefused, flush } = redirectListener({
    resolve,
    recordClick: (slug, address, userAgent, referrer) => record(slug, address, userAgent, referrer),
    honoursPrivacySignals: deps.privacySignals === 'honour',
    passes: { issue: (slug) => passes.issue(slug), isIn: (query, slug) => passes.isIn(query, slug) },
    clientAddress: clientAddress(deps.trustedProxies),
    clickLog,
    readiness,
    baseUrl: deps.redirectBaseUrl.replace(/\/$/, ''),
    reportBaseUrl: deps.reportBaseUrl,
    contact: deps.contact,
    logger,
    now,
    counts,
  });
  const server = createServer({ ...SERVER_LIMITS, keepAliveTimeout: 0, optimizeEmptyRequests: true }, listener);
  stopReading(server, isRefused);
  server.maxConnections = MAX_CONNECTIONS;
  // Closes idle connections, and those that do not read. `keepAliveTimeout` would make a timer after each answer.
  server.timeout = SERVER_LIMITS.keepAliveTimeout;
  const sharded = shardedServer(server);

  return {
    listen: sharded.listen,
    made: resolve.made,
    async changed(records) {
      await cache.replace(records);
      // Redirects wait for the end of their turn.
      flush();
    },
    rotate(visitorSecret) {
      ({ record, passes } = keyed(visitorSecret));
    },
    async status() {
      const { problem: clickLogProblem, ...captured } = clickLog.state();
      return {
        ...captured,
        clickLogProblem,
        linksInMemory: resolve.size(),
        openConnections: await sharded.openConnections(),
      };
    },
    async stop() {
      await sharded.stop();
      flush();
      await clickLog.close();
    },
  };
}
