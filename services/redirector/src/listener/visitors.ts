/** Answers visitors. The click log has each click before the visitor gets the answer. */
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import type { RedirectRecord, VisitorSecret } from '@waypost/domain';
import { type CountryDb, openCountries } from '@waypost/origin/countries';
import type { LinkCache, LinkReader } from '@waypost/ports';
import {
  clientAddress,
  listenOn,
  PUBLIC_SOCKETS,
  SERVER_LIMITS,
  type Serving,
  type TrustedProxies,
  untrustedProxies,
} from '@waypost/process';
import type { Logger, PublicReadiness } from '@waypost/telemetry';
import { type ClickLogState, openClickLog } from '../clicks/log/click-log.ts';
import { readCursor } from '../clicks/log/cursor.ts';
import type { SharedState } from '../clicks/log/shared-state.ts';
import { clickRecorder } from '../clicks/record-click.ts';
import { SlugResolver } from '../links/resolve-slug.ts';
import { RedirectListener } from './redirect.ts';
import { stopReading } from './stop-reading.ts';
import type { VisitorCounts } from './visitor-counts.ts';

export interface VisitorSettings {
  /** No other server may use this folder. */
  readonly clickLogDir: string;
  readonly clickLogMaxBytes: number;
  /** All replicas need the same secret. After a change without a previous secret, every visitor counts as new. */
  readonly visitorSecret: VisitorSecret;
  readonly redirectBaseUrl: string;
  /** The base URL of the page where visitors report links. Undefined if there is none. */
  readonly reportBaseUrl?: string | undefined;
  readonly trustedProxies: TrustedProxies;
  readonly countries: CountryDb;
  /** What to do with `DNT: 1` and `Sec-GPC: 1`. They are ignored by default. */
  readonly privacySignals?: 'ignore' | 'honour';
  /** A URI or an e-mail address for security.txt. */
  readonly contact: string;
  /** `lifetimeMs` is how long a revoke must wait. It is `Infinity` where `cache.watch` reports every change. */
  readonly microCache: { readonly lifetimeMs: number; readonly size: number };
}

export interface VisitorDeps extends VisitorSettings {
  readonly cache: LinkCache;
  readonly reader: LinkReader;
  readonly readiness: () => Promise<PublicReadiness>;
  readonly clickLogState: SharedState;
  readonly counts: VisitorCounts;
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export type Visitors = ReturnType<typeof createVisitors>;

export interface VisitorStatus extends Omit<ClickLogState, 'problem'> {
  readonly clickLogProblem: string | undefined;
  readonly linksInMemory: number;
  /** A platform adds or removes redirectors by this number. */
  readonly openConnections: number;
}

/** The check that fails while visitors come through a proxy that is not trusted. */
export const VISITOR_PROXIES = 'visitor_proxies';

/** Each connection costs memory, so a visitor above this limit is served better by another replica. */
const MAX_CONNECTIONS = 20_000;

export function createVisitors(deps: VisitorDeps) {
  const { cache, reader, readiness, clickLogDir: folder, clickLogMaxBytes: maxBytes, counts, logger, now } = deps;
  const afterSegment = readCursor(folder).segment;
  const clickLog = openClickLog({ folder, maxBytes, logger, afterSegment, state: deps.clickLogState });
  const resolve = new SlugResolver({
    cache,
    reader,
    microCache: deps.microCache,
    onRead: (source) => counts.lookup(source),
  });

  const proxies = untrustedProxies(logger, now);
  const countryOf = openCountries(deps.countries);
  const recorderWith = (visitorSecret: VisitorSecret) => clickRecorder({ visitorSecret, countryOf, now });
  let record = recorderWith(deps.visitorSecret);
  const redirects = new RedirectListener({
    resolve,
    recordClick: (link, address, userAgent, referrer) => record(link, address, userAgent, referrer),
    honoursPrivacySignals: deps.privacySignals === 'honour',
    clientAddress: clientAddress(deps.trustedProxies, proxies),
    clickLog,
    readiness,
    baseUrl: deps.redirectBaseUrl.replace(/\/$/, ''),
    reportBaseUrl: deps.reportBaseUrl,
    contact: deps.contact,
    logger,
    now,
    counts,
  });
  const server = createServer(
    { ...SERVER_LIMITS, keepAliveTimeout: 0, optimizeEmptyRequests: true },
    redirects.listener,
  );
  stopReading(server, (socket) => redirects.isRefused(socket));
  let openConnections = 0;
  // Each listening socket counts only its own connections, so `maxConnections` would not limit their sum.
  server.prependListener('connection', (socket: Socket) => {
    openConnections += 1;
    socket.once('close', () => {
      openConnections -= 1;
    });
    if (openConnections > MAX_CONNECTIONS) socket.destroy();
  });
  // This closes idle connections and those that do not read. `keepAliveTimeout` would make a timer after each answer.
  server.timeout = SERVER_LIMITS.keepAliveTimeout;
  let serving: Serving | undefined;

  return {
    /** Resolves to the port. Other threads may listen on it, too. */
    async listen(port: number, host: string): Promise<number> {
      serving = await listenOn(server, port, host, PUBLIC_SOCKETS);
      return serving.port;
    },
    checks: { [VISITOR_PROXIES]: proxies.health },
    created: (slugs: readonly string[]) => resolve.created(slugs),
    /**
     * Replaces changed links. Once it resolves, older versions are no longer used, and redirects by them have been
     * sent.
     */
    async changed(records: readonly RedirectRecord[]): Promise<void> {
      await cache.replace(records);
      // Redirects wait for the end of their turn, so send them now.
      redirects.flush();
    },
    /** The next click uses this secret. */
    rotate(visitorSecret: VisitorSecret): void {
      record = recorderWith(visitorSecret);
    },
    status(): VisitorStatus {
      const { problem: clickLogProblem, ...captured } = clickLog.state();
      return {
        ...captured,
        clickLogProblem,
        linksInMemory: resolve.size(),
        openConnections,
      };
    },
    async stop(): Promise<void> {
      await serving?.stop();
      redirects.flush();
      await clickLog.close();
    },
  };
}
