/** Composes the services on one set of engines. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createAnalyticsIngest, ingestMetrics } from '@waypost/analytics-ingest';
import { type RunningCommands, running } from '@waypost/command-line';
import { ownHostOf, type RedirectRecord, type UrlPolicy } from '@waypost/domain';
import { builtDashboard, createLinkApi, type LinkApiDeps, queueMetrics } from '@waypost/link-api';
import { linkApiCommands } from '@waypost/link-api/operator-commands';
import { clockHealth, diskHealth, type Service } from '@waypost/process';
import { createRedirector, redirectorMetrics } from '@waypost/redirector';
import { inGroups } from '@waypost/resilience';
import {
  configuredDeepScans,
  createScanner,
  inspectorThread,
  providersFrom,
  registrableDomain,
} from '@waypost/scanner';
import { scannerCommands } from '@waypost/scanner/operator-commands';
import { createMetrics, type HealthCheck } from '@waypost/telemetry';
import { busMetrics } from '@waypost/typed-bus';
import { type BackupDeps, backUpFolder, CLICK_LOG, THREATS } from './backup.ts';
import type { Config } from './config.ts';
import type { Engines } from './engines.ts';
import { folderCommands } from './folder-commands.ts';
import { secretCommands } from './rotate-visitor-secret.ts';
import { scheduleBackups } from './scheduled-backups.ts';
import type { OwnSettings } from './visitor-thread.ts';

const CACHED_LINKS = 200_000;
/** Above this many new links, threads get only slugs and look up what is visited: records would take milliseconds. */
const RECORDS_MAX = 10;
const CLICK_LOG_MAX_BYTES = 10 * 1024 ** 3;

export type Services = Awaited<ReturnType<typeof startServices>>;

/** Starts all but the redirector: starting it means listening. */
export async function startServices(
  config: Config,
  engines: Engines,
  { logger, onError, stack }: Pick<Service, 'logger' | 'onError' | 'stack'>,
) {
  const { baseUrl, redirectBaseUrl, dataDir } = config;
  const { bus } = engines;
  const metrics = createMetrics();
  const now = () => new Date();
  const urlPolicy: UrlPolicy = {
    registrableDomain,
    ownHosts: [...new Set([...ownHosts(config), ...config.ownHosts])],
    allowed: config.destinationHostsAllowed,
  };
  // The threads that answer visitors cache the links.
  const announced = inGroups<readonly RedirectRecord[], void>(
    { most: RECORDS_MAX, sizeOf: (made) => made.length },
    async (all) => {
      const made = all.flat();
      await (made.length <= RECORDS_MAX ? redirector.changed(made) : redirector.made(made.map(({ slug }) => slug)));
      return all.map(() => undefined);
    },
  );
  const cache: LinkApiDeps['cache'] = {
    announce: (made) => announced('', made),
    put: (changed) => redirector.changed(changed),
    replace: (changed) => redirector.changed(changed),
  };

  const inspector = inspectorThread({
    ownHosts: urlPolicy.ownHosts,
    allowed: config.deepScanHostsAllowed,
    ports: config.deepScanPorts,
    nameServers: config.deepScanDns,
  });
  stack.push(() => inspector.stop());

  const scanner = await createScanner(
    {
      dataDir: path.join(dataDir, THREATS),
      policy: urlPolicy,
      links: engines.scannedLinks,
      looks: engines.looks,
      providers: providersFrom(config, { logger, now }),
      bus,
      feeds: config.feeds,
      rulesOff: config.rulesOff,
      feedsOff: config.feedsOff,
      deepScans: configuredDeepScans(config, { inspector, queue: engines.deepScanQueue }),
      logger,
      now,
    },
    metrics,
  );
  stack.push(() => scanner.stop());

  const ingest = createAnalyticsIngest({ bus, sink: engines.sink, logger });
  stack.push(() => ingest.stop());

  const disk = diskHealth(dataDir);
  const clock: HealthCheck = { required: false, check: clockHealth() };
  const health = {
    ...engines.health,
    scanner: { required: true, check: () => ({ ...scanner.status() }) },
    disk: { required: true, check: disk },
    clock,
  };
  const linkApiDeps: LinkApiDeps = {
    ...engines,
    webhookPolicy: { ...urlPolicy, allowed: config.webhookHostsAllowed },
    webhookConcurrency: config.webhookConcurrency,
    cache,
    scanner: scanner.scanner,
    feeds: scanner.feeds,
    urlPolicy,
    baseUrl,
    redirectBaseUrl,
    trustedProxies: config.trustedProxies,
    health,
    logger,
    now,
    randomBytes,
    onLateError: onError('after the answer'),
    dashboardDir: builtDashboard(),
  };
  const linkApi = createLinkApi(linkApiDeps, metrics);
  stack.push(() => linkApi.stop());

  const redirector = createRedirector<OwnSettings>({
    threads: config.redirectWorkers,
    threadModule: new URL('./visitor-thread.ts', import.meta.url),
    own: { database: engines.database, cachedLinks: CACHED_LINKS },
    // A cached link needs none of these.
    threadDependencies: ['database'],
    health: { disk: { required: false, check: disk }, clock },
    host: config.host,
    port: config.redirectPort,
    bus,
    clickLogDir: path.join(dataDir, CLICK_LOG),
    clickLogMaxBytes: CLICK_LOG_MAX_BYTES,
    visitorSecret: engines.visitorSecret,
    redirectBaseUrl,
    trustedProxies: config.trustedProxies,
    countryDb: config.countryDb,
    microCache: { lifetimeMs: Number.POSITIVE_INFINITY, size: CACHED_LINKS },
    reportBaseUrl: baseUrl,
    privacySignals: config.privacySignals,
    contact: baseUrl,
    logger,
    logLevel: config.logLevel,
    now: Date.now,
  });

  redirectorMetrics(metrics, redirector);
  ingestMetrics(metrics, ingest);
  queueMetrics(metrics, engines);
  busMetrics(metrics, bus);
  engines.measure(metrics);

  await ingest.start();
  await scanner.start();
  await linkApi.start();

  const backup: BackupDeps = { archives: engines.archives, dataDir, scanner, now };
  const { backupDir } = config;
  const backups =
    backupDir === undefined
      ? undefined
      : scheduleBackups({ ...config, backupDir }, { backUp: (dir) => backUpFolder(dir, backup), now, logger });
  if (backups !== undefined) stack.push(() => backups.stop());

  const allHealth = { ...redirector.checks, ...health, ...(backups && { backup: backups.health }) };
  const operator: RunningCommands = {
    ...running(linkApiCommands, { ...linkApiDeps, health: allHealth }),
    ...running(scannerCommands, scanner),
    ...running(folderCommands, backup),
    ...running(secretCommands, { ...engines, redirector, logger, now }),
  };
  return {
    scanner,
    linkApi,
    redirector,
    metrics,
    operator,
    health: allHealth,
  };
}

/** The hosts, with ports, under which this process can be reached. */
function ownHosts({ baseUrl, redirectBaseUrl, host, port, redirectPort }: Config): string[] {
  const listening = host === '0.0.0.0' || host === '::' ? ['127.0.0.1', 'localhost'] : [host];
  return [
    ownHostOf(baseUrl),
    ownHostOf(redirectBaseUrl),
    ...listening.flatMap((name) => [`${name}:${port}`, `${name}:${redirectPort}`]),
  ];
}
