/**
 * All services in one process on embedded engines: the one place that chooses their adapters. Opens the data folder,
 * the engines, the services, the listeners, in this order, and stops them in reverse.
 */
import fs from 'node:fs';
import path from 'node:path';
import {
  clickHouseHealth,
  clickhouseClickSink,
  clickhouseClickStats,
  prepareClickHouse,
} from '@waypost/adapter-clickhouse';
import {
  inProcessBus,
  loadSecrets,
  lockFolder,
  parkInFolder,
  startEmbeddedClickHouse,
  startEmbeddedPostgres,
} from '@waypost/adapter-embedded';
import {
  createDatabase,
  openDatabase,
  pingDatabase,
  postgresAccounts,
  postgresApiKeys,
  postgresIdempotencyStore,
  postgresLinkExpressions,
  postgresLinkReader,
  postgresLinkStore,
  postgresOutbox,
} from '@waypost/adapter-postgres';
import { createAnalyticsIngest } from '@waypost/analytics-ingest';
import { type RunningCommands, running } from '@waypost/command-line';
import { ownHostOf, type UrlPolicy } from '@waypost/domain';
import { createLinkApi, linkApiCommands } from '@waypost/link-api';
import type { LinkCache } from '@waypost/ports';
import { createRedirector } from '@waypost/redirector';
import { createScanner, registrableDomain, scannerCommands } from '@waypost/scanner';
import {
  boundedServer,
  clockHealth,
  createLogger,
  createMetrics,
  diskHealth,
  drainServer,
  errorFields,
  type HealthCheck,
  internalApp,
  type Logger,
  listen,
  listenForOperator,
  processGauges,
  Stack,
  socketPathIn,
  startTracing,
} from '@waypost/service-kit';
import type { Config } from './config.ts';
import type { OwnSettings } from './visitor-thread.ts';

export interface Waypost {
  readonly operator: RunningCommands;
  readonly logger: Logger;
  hasAccounts(): Promise<boolean>;
  stop(): Promise<void>;
}

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
}

const DATABASE = 'waypost';
/** Where the command line finds the running process: `{ pid, operator }`, the path of its socket. */
export const RUN_FILE = 'run.json';
const OPERATOR_SOCKET = 'operator.sock';
const CACHED_LINKS = 200_000;
/** Of more new links at once, visitors' threads are told the names: they look up what is visited. All of them would take milliseconds. */
const TOLD_WHOLE = 10;
const CLICK_LOG_MAX_BYTES = 10 * 1024 ** 3;

/** With `listeners: false` nothing is served: the operator commands work on a stopped Waypost. */
export async function startWaypost(config: Config, options: { readonly listeners: boolean }): Promise<Waypost> {
  const stack = new Stack();
  try {
    return await start(config, options, stack);
  } catch (error) {
    await stack.unwind();
    throw error;
  }
}

async function start(config: Config, { listeners }: { listeners: boolean }, stack: Stack): Promise<Waypost> {
  const lock = lockFolder(config.dataDir);
  if (lock === undefined) throw new FolderInUse(`The data folder ${config.dataDir} is in use by another Waypost.`);
  stack.push(() => lock.release());

  const logger = createLogger('waypost', config.logLevel);
  const tracing = await startTracing('waypost', config);
  stack.push(() => tracing.stop());
  const onError = (what: string) => (error: unknown) => logger.error(what, errorFields(error));
  const secrets = loadSecrets(config.dataDir);
  const inData = (name: string) => path.join(config.dataDir, name);
  const now = () => new Date();

  // Engines
  const [postgres, clickhouse] = await Promise.all([
    startEmbeddedPostgres(inData('postgres'), onError('PostgreSQL')).then((engine) => {
      stack.push(() => engine.stop());
      return engine;
    }),
    startEmbeddedClickHouse(inData('clickhouse')).then((engine) => {
      stack.push(() => engine.stop());
      return engine;
    }),
  ]);
  const address = { host: postgres.host, user: postgres.user };
  await createDatabase(address, DATABASE);
  let closing = false;
  const db = await openDatabase({
    ...address,
    database: DATABASE,
    poolSize: 20,
    onIdleError: (error) => closing || onError('database connection lost')(error),
  });
  stack.push(async () => {
    closing = true; // its connections end while the server does: nothing to tell
    await db.destroy();
  });
  await prepareClickHouse(clickhouse.client, DATABASE);

  // What the services share
  const bus = inProcessBus({
    park: parkInFolder(config.dataDir),
    groups: { links: ['scanner'], verdicts: ['link-api'], clicks: ['analytics-ingest'] },
  });
  // Links are held by the threads that answer visitors.
  const cache: Pick<LinkCache, 'announce' | 'replace'> = {
    announce: (links) =>
      links.length <= TOLD_WHOLE ? redirector.changed(links) : redirector.made(links.map(({ slug }) => slug)),
    replace: (links) => redirector.changed(links),
  };
  const reader = postgresLinkReader(db);
  const urlPolicy: UrlPolicy = {
    registrableDomain,
    ownHosts: [...new Set([...ownHosts(config), ...config.ownHosts])],
    allowed: config.destinationHostsAllowed,
  };
  const database: HealthCheck = { required: true, check: () => pingDatabase(db).then(() => ({ ok: true })) };
  const disk = diskHealth(config.dataDir);
  const clock: HealthCheck = { required: false, check: clockHealth() };

  // Services
  const scanner = await createScanner({
    dataDir: inData('threats'),
    policy: urlPolicy,
    expressions: postgresLinkExpressions(db),
    bus,
    feeds: listeners ? config.feeds : 'none',
    logger,
    now,
  });
  stack.push(() => scanner.stop());

  const ingest = createAnalyticsIngest({ bus, sink: clickhouseClickSink(clickhouse.client, DATABASE), logger });
  stack.push(() => ingest.stop());

  const { creationsPerHour } = config;
  const links = postgresLinkStore(db, { creationsPerHour });
  const accounts = postgresAccounts(db);
  const keys = postgresApiKeys(db, { creationsPerHour });
  const outbox = postgresOutbox(db, onError('outbox relay failed'));
  const checks: Readonly<Record<string, HealthCheck>> = {
    database,
    scanner: { required: true, check: () => ({ ...scanner.status() }) },
    clickhouse: {
      required: false,
      check: async (signal) => ({ ...(await clickHouseHealth(clickhouse.client, signal)) }),
    },
    disk: { required: true, check: disk },
    clock,
  };
  const linkApi = createLinkApi({
    accounts,
    keys,
    links,
    idempotency: postgresIdempotencyStore(db),
    outbox,
    reader,
    cache,
    scanner: scanner.scanner,
    stats: clickhouseClickStats(clickhouse.client, DATABASE),
    bus,
    urlPolicy,
    baseUrl: config.baseUrl,
    redirectBaseUrl: config.redirectBaseUrl,
    health: checks,
    logger,
    now,
    onLateError: onError('after the answer'),
  });
  stack.push(() => linkApi.stop());

  const redirector = createRedirector<OwnSettings>({
    threads: listeners ? config.redirectWorkers : 0,
    threadModule: new URL('./visitor-thread.ts', import.meta.url),
    own: { database: { ...address, database: DATABASE }, cachedLinks: CACHED_LINKS },
    // A visitor whose link is cached is answered without any of them.
    threadDependencies: ['database'],
    extraChecks: { disk: { required: false, check: disk }, clock },
    host: config.host,
    port: config.redirectPort,
    bus,
    clickLogDir: inData('clicks'),
    clickLogMaxBytes: CLICK_LOG_MAX_BYTES,
    visitorSecret: secrets.visitor,
    redirectBaseUrl: config.redirectBaseUrl,
    trustedProxies: config.trustedProxies,
    microCache: { lifetimeMs: Number.POSITIVE_INFINITY, size: CACHED_LINKS },
    contact: config.baseUrl,
    logger,
    logLevel: config.logLevel,
    now: Date.now,
  });

  await ingest.start();
  await scanner.start();
  await linkApi.start();

  const operator: RunningCommands = {
    ...running(linkApiCommands, { accounts, keys, links, cache, baseUrl: config.baseUrl, now }),
    ...running(scannerCommands, scanner),
  };

  if (listeners) {
    const metrics = createMetrics();
    metrics.gauges('process', processGauges);
    metrics.gauges('click_log', () => redirector.status());
    metrics.gauges('redirector', async () => ({ openConnections: (await redirector.status()).openConnections }));
    metrics.gauges('ingest', () => ingest.status());
    metrics.gauges('scanner', () => scanner.status());
    metrics.gauges('outbox', () => outbox.backlog());

    const internal = internalApp({
      metrics,
      health: { ...redirector.checks, ...checks },
      routers: [scanner.router],
    });
    const api = boundedServer(linkApi.app);
    const inside = boundedServer(internal);
    for (const [listener, port, host] of [
      [inside, config.internalPort, '127.0.0.1'],
      [api, config.port, config.host],
    ] as const) {
      await listen(listener, port, host);
      stack.push(() => drainServer(listener));
    }
    stack.push(() => redirector.stop());
    await redirector.start();
    const socket = socketPathIn(config.dataDir, OPERATOR_SOCKET);
    const commands = await listenForOperator(socket, operator, onError('operator command failed'));
    stack.push(() => commands.stop());
    if (path.dirname(socket) !== config.dataDir) stack.push(() => fs.rmSync(path.dirname(socket), { recursive: true }));
    const runFile = inData(RUN_FILE);
    fs.writeFileSync(runFile, `${JSON.stringify({ pid: process.pid, operator: socket })}\n`, { mode: 0o600 });
    stack.push(() => fs.rmSync(runFile, { force: true }));
  }
  return { operator, logger, hasAccounts: () => accounts.any(), stop: () => stack.unwind() };
}

/** The hosts by which this process can be reached, with their ports. */
function ownHosts({ baseUrl, redirectBaseUrl, host, port, redirectPort }: Config): string[] {
  const listening = host === '0.0.0.0' || host === '::' ? ['127.0.0.1', 'localhost'] : [host];
  return [
    ownHostOf(baseUrl),
    ownHostOf(redirectBaseUrl),
    ...listening.flatMap((name) => [`${name}:${port}`, `${name}:${redirectPort}`]),
  ];
}
