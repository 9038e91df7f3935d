import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { createAnalyticsIngest, ingestMetrics } from '@waypost/analytics-ingest';
import { type RunningCommands, running } from '@waypost/command-line';
import { ownHostOf, type RedirectRecord, type UrlPolicy } from '@waypost/domain';
import { inspectorThread } from '@waypost/inspector';
import { builtDashboard, createLinkApi, type LinkApiDeps, queueMetrics } from '@waypost/link-api';
import { linkApiCommands } from '@waypost/link-api/operator-commands';
import { openCountries } from '@waypost/origin/countries';
import { clockHealth, diskHealth, type Service, untrustedProxies } from '@waypost/process';
import { createRedirector, redirectorMetrics } from '@waypost/redirector';
import { background, inGroups } from '@waypost/resilience';
import { configuredDeepScans, createScanner, providersFrom, registrableDomain } from '@waypost/scanner';
import { scannerCommands } from '@waypost/scanner/operator-commands';
import { ConfigError } from '@waypost/settings';
import { createMetrics, type HealthCheck, type Metrics } from '@waypost/telemetry';
import { busMetrics } from '@waypost/typed-bus';
import { type BackupDeps, backUpFolder, CLICK_LOG, THREATS } from './backup.ts';
import type { Config } from './config.ts';
import type { Engines } from './engines.ts';
import { EXPIRY_EVERY_MS, expireVisitorSecret } from './expire-visitor-secret.ts';
import { folderCommands } from './folder-commands.ts';
import { secretCommands } from './rotate-visitor-secret.ts';
import { scheduleBackups } from './scheduled-backups.ts';
import type { OwnSettings } from './visitor-thread.ts';

const CACHED_LINKS = 200_000;
/**
 * Up to this number of new links, the threads get the complete records. Copying more would take milliseconds, so the
 * threads get only slugs and read a link when it is visited.
 */
const RECORDS_MAX = 10;
const CLICK_LOG_MAX_BYTES = 10 * 1024 ** 3;
const now = () => new Date();

export type Services = Awaited<ReturnType<typeof startServices>>;
type Parts = Pick<Service, 'logger' | 'onError' | 'stack'>;

/** Starts everything except the redirector, which the caller starts. */
export async function startServices(config: Config, engines: Engines, service: Parts) {
  const { logger, stack } = service;
  const { bus } = engines;
  const metrics = createMetrics();
  const disk = diskHealth(config.dataDir);
  const clock: HealthCheck = { required: false, check: clockHealth() };
  const urlPolicy: UrlPolicy = {
    registrableDomain,
    ownHosts: [...new Set([...ownHosts(config), ...config.ownHosts])],
    allowed: config.destinationHostsAllowed,
  };

  const redirector = redirectorOf(config, engines, logger, { disk: { required: false, check: disk }, clock });
  const scanner = await scannerOf(config, engines, service, urlPolicy, metrics);
  stack.push(() => scanner.stop());
  const ingest = createAnalyticsIngest({ bus, sink: engines.sink, logger });
  stack.push(() => ingest.stop());

  const backup: BackupDeps = { archives: engines.archives, dataDir: config.dataDir, scanner, now };
  const { backupDir } = config;
  const encrypt = await configuredEncryption(config);
  const backups =
    backupDir === undefined
      ? undefined
      : scheduleBackups({ ...config, backupDir }, { backUp: (dir) => backUpFolder(dir, backup, encrypt), now, logger });

  const proxies = untrustedProxies(logger);
  const health = {
    ...engines.health,
    ...(backups && { backup: backups.health }),
    scanner: { required: true, check: () => ({ ...scanner.status() }) },
    disk: { required: true, check: disk },
    clock,
    proxies: proxies.health,
  };
  const linkApiDeps: LinkApiDeps = {
    ...engines,
    ...config,
    webhookPolicy: { ...urlPolicy, allowed: config.webhookHostsAllowed },
    cache: cacheOf(redirector),
    scanner: scanner.scanner,
    feeds: scanner.feeds,
    urlPolicy,
    countryOf: openCountries(config.countryDb),
    proxies,
    health,
    logger,
    now,
    randomBytes,
    onLateError: service.onError('work after an answer failed'),
    dashboardDir: builtDashboard(),
  };
  const linkApi = createLinkApi(linkApiDeps, metrics);
  stack.push(() => linkApi.stop());

  redirectorMetrics(metrics, redirector);
  ingestMetrics(metrics, ingest);
  queueMetrics(metrics, engines);
  busMetrics(metrics, bus);
  engines.measure(metrics);

  await ingest.start();
  await scanner.start();
  await linkApi.start();

  if (backups !== undefined) {
    backups.start();
    stack.push(() => backups.stop());
  }

  const expiry = background({
    backOff: { first: 60_000, most: EXPIRY_EVERY_MS },
    work: expireVisitorSecret(engines, redirector, now),
    onFailure: service.onError('the previous visitor secret was not deleted'),
  });
  expiry.start();
  stack.push(() => expiry.stop());

  const allHealth = { ...redirector.checks, ...health };
  const operator: RunningCommands = {
    ...running(linkApiCommands, { ...linkApiDeps, health: allHealth }),
    ...running(scannerCommands, { ...scanner, ...engines.scannerStores }),
    ...running(folderCommands, backup),
    ...running(secretCommands, { ...engines, redirector, logger, now }),
  };
  return { scanner, linkApi, redirector, metrics, operator, health: allHealth };
}

/** The library is loaded only if it is needed. */
async function configuredEncryption({ backupEncryptTo }: Config) {
  if (backupEncryptTo === undefined) return undefined;
  const { encryptTo } = await import('@waypost/backup/age');
  try {
    return encryptTo(backupEncryptTo);
  } catch (error) {
    throw new ConfigError(`BACKUP_ENCRYPT_TO: ${(error as Error).message}`);
  }
}

function redirectorOf(
  config: Config,
  { bus, database, visitorSecret }: Engines,
  logger: Service['logger'],
  health: Readonly<Record<string, HealthCheck>>,
) {
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

function cacheOf(redirector: ReturnType<typeof redirectorOf>): LinkApiDeps['cache'] {
  const announced = inGroups<readonly RedirectRecord[], void>(
    { most: RECORDS_MAX, sizeOf: (records) => records.length },
    async (all) => {
      const records = all.flat();
      await (records.length <= RECORDS_MAX
        ? redirector.changed(records)
        : redirector.created(records.map(({ slug }) => slug)));
      return all.map(() => undefined);
    },
  );
  return {
    announce: (records) => announced('', records),
    put: (changed) => redirector.changed(changed),
    replace: (changed) => redirector.changed(changed),
  };
}

function scannerOf(
  config: Config,
  engines: Engines,
  { logger, stack }: Parts,
  policy: UrlPolicy,
  metrics: Metrics,
): ReturnType<typeof createScanner> {
  const inspector = inspectorThread({
    ownHosts: policy.ownHosts,
    allowed: config.deepScanHostsAllowed,
    ports: config.deepScanPorts,
    nameServers: config.deepScanDns,
  });
  stack.push(() => inspector.stop());
  return createScanner(
    {
      ...config,
      dataDir: path.join(config.dataDir, THREATS),
      policy,
      ...engines.scannerStores,
      providers: providersFrom(config, { logger, now }),
      bus: engines.bus,
      deepScans: configuredDeepScans(config, { inspector, queue: engines.scannerStores.deepScanQueue }),
      logger,
      now,
    },
    metrics,
  );
}

function ownHosts({ baseUrl, redirectBaseUrl, host, port, redirectPort }: Config): string[] {
  const listening = ['0.0.0.0', '::', 'localhost'].includes(host) ? ['127.0.0.1', '[::1]', 'localhost'] : [host];
  return [
    ownHostOf(baseUrl),
    ownHostOf(redirectBaseUrl),
    ...listening.flatMap((name) => [`${name}:${port}`, `${name}:${redirectPort}`]),
  ];
}
