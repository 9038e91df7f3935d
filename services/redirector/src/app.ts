/** The redirector: answers visitors, and brings their clicks to the bus. */
import { createServer, type Server } from 'node:http';
import { promisify } from 'node:util';
import type { Bus, LinkCache, LinkReader } from '@waypost/ports';
import { type DependencyState, drainServer, type HealthCheck, type Logger, SERVER_LIMITS } from '@waypost/service-kit';
import { type ClickLogState, openClickLog } from './click-log/click-log.ts';
import { readCursor } from './click-log/cursor.ts';
import { pace } from './click-log/pace.ts';
import { type Shipper, type ShipperState, startShipper } from './click-log/shipper.ts';
import { openCountryTable } from './country/country-table.ts';
import { clientAddress, type TrustedProxies } from './http/client-address.ts';
import { type Answer, redirectListener } from './http/redirect.ts';
import { clickRecorder } from './use-cases/record-click.ts';
import { slugResolver } from './use-cases/resolve-slug.ts';

export interface RedirectorDeps {
  readonly cache: LinkCache;
  readonly reader: LinkReader;
  readonly bus: Pick<Bus, 'publish'>;
  /** A folder of this process alone. */
  readonly clickLogDir: string;
  readonly clickLogMaxBytes: number;
  /** Key of the visitor hash, the same for all replicas, for good: a new one makes every visitor new. */
  readonly visitorSecret: Buffer;
  /** Shown on pages. */
  readonly redirectBaseUrl: string;
  readonly trustedProxies: TrustedProxies;
  /** `lifetimeMs` is how long a revoke must wait; `Infinity` where `cache.watch` tells of every change. */
  readonly microCache: { readonly lifetimeMs: number; readonly size: number };
  /** What else `/readyz` tells of. */
  readonly extraChecks?: Readonly<Record<string, HealthCheck>>;
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** URI or e-mail address for security.txt. */
  readonly contact: string;
}

export interface Redirector {
  /** Listens when the caller says so. */
  readonly server: Server;
  /** Begins to ship clicks; those of earlier runs first. */
  start(): void;
  /** Answers what is under way, writes and syncs every click, ends the shipper. */
  stop(): Promise<void>;
  /** What `/readyz` tells of. */
  readonly checks: Readonly<Record<string, HealthCheck>>;
  /** For metrics. */
  status(): RedirectorStatus;
  /** Visitors' connections: what a platform scales redirectors by. */
  openConnections(): Promise<number>;
}

export interface RedirectorStatus
  extends Omit<ClickLogState, 'problem'>,
    Omit<ShipperState, 'problem' | 'oldestUnsentAt'> {
  /** Age of the oldest click that the bus has not acknowledged. */
  readonly oldestUnsentMs: number;
  readonly clickLogProblem: string | undefined;
  readonly shippingProblem: string | undefined;
  readonly linksInMemory: number;
  readonly answers: Readonly<Record<Answer, number>>;
}

const NOT_SHIPPING: ShipperState = {
  shipped: 0,
  spoolBytes: 0,
  oldestUnsentAt: undefined,
  garbledBytes: 0,
  problem: undefined,
};

export function createRedirector(deps: RedirectorDeps): Redirector {
  const { cache, reader, bus, clickLogDir: folder, logger, now } = deps;
  const cursor = readCursor(folder);
  const clickLog = openClickLog({ folder, maxBytes: deps.clickLogMaxBytes, logger, afterSegment: cursor.segment });
  const resolve = slugResolver({ cache, reader, microCache: deps.microCache });
  let shipper: Shipper | undefined;
  const checks = { click_log: { required: false, check: clickLogCheck }, ...deps.extraChecks };

  const { listener, flush, answers } = redirectListener({
    resolve,
    recordClick: clickRecorder({ visitorSecret: deps.visitorSecret, countryOf: openCountryTable(), now }),
    clientAddress: clientAddress(deps.trustedProxies),
    clickLog,
    checks,
    baseUrl: deps.redirectBaseUrl.replace(/\/+$/, ''),
    contact: deps.contact,
    logger,
    now,
  });
  const server = createServer({ ...SERVER_LIMITS, optimizeEmptyRequests: true }, listener);

  function status(): RedirectorStatus {
    const { problem: clickLogProblem, ...captured } = clickLog.state();
    const { problem: shippingProblem, oldestUnsentAt, ...shipped } = shipper?.state() ?? NOT_SHIPPING;
    return {
      ...captured,
      ...shipped,
      oldestUnsentMs: oldestUnsentAt === undefined ? 0 : Math.max(0, now() - oldestUnsentAt),
      clickLogProblem,
      shippingProblem,
      linksInMemory: resolve.size(),
      answers: answers(),
    };
  }

  /** Not required: a visitor is redirected whether or not the click can be kept. */
  function clickLogCheck(): DependencyState {
    const { diskBytes, maxBytes, spoolBytes, oldestUnsentMs, held, uncaptured, ...problems } = status();
    const facts = {
      disk_bytes: diskBytes,
      spool_bytes: spoolBytes,
      oldest_unsent_ms: oldestUnsentMs,
      held,
      uncaptured,
    };
    const { clickLogProblem, shippingProblem } = problems;
    if (clickLogProblem !== undefined)
      return { ok: false, detail: `clicks are not written: ${clickLogProblem}`, ...facts };
    const warnings = [
      ...(diskBytes > maxBytes / 2 ? [`over half full: ${diskBytes} of ${maxBytes} bytes`] : []),
      ...(shippingProblem === undefined ? [] : [`clicks wait on disk: ${shippingProblem}`]),
    ];
    return { ok: true, ...(warnings.length === 0 ? {} : { detail: warnings.join('; ') }), ...facts };
  }

  return {
    server,
    checks,
    status,
    openConnections: promisify(server.getConnections.bind(server)),
    start() {
      shipper ??= startShipper({ log: clickLog, folder, cursor, bus, logger, pace: pace() });
    },
    async stop() {
      await drainServer(server);
      flush();
      await shipper?.stop();
      await clickLog.close();
    },
  };
}
