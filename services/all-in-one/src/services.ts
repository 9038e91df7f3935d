import { randomBytes } from 'node:crypto';
import { createAnalyticsIngest, ingestMetrics } from '@waypost/analytics-ingest';
import { builtDashboard, createLinkApi, type LinkApiPorts } from '@waypost/link-api';
import { linkApiCommands } from '@waypost/link-api/operator-commands';
import { running } from '@waypost/operator';
import { openCountries, readCountryDb } from '@waypost/origin/countries';
import { clockHealth, diskHealth, type Service, untrustedProxies } from '@waypost/process';
import { qrDrawer } from '@waypost/qr-code/qr-drawer';
import { redirectorMetrics } from '@waypost/redirector';
import { background } from '@waypost/resilience';
import { scannerCommands } from '@waypost/scanner/operator-commands';
import { createMetrics, type HealthCheck } from '@waypost/telemetry';
import { busMetrics } from '@waypost/typed-bus';
import { type BackupDeps, configuredBackups } from './backup.ts';
import type { Config } from './config.ts';
import type { Engines } from './engines.ts';
import { EXPIRY_EVERY_MS, expireVisitorSecret } from './expire-visitor-secret.ts';
import { folderCommands } from './folder-commands.ts';
import { cacheOf, redirectorOf } from './redirector.ts';
import { secretCommands } from './rotate-visitor-secret.ts';
import { scannerOf, urlPolicyOf } from './scanner.ts';

const now = () => new Date();

export type Services = Awaited<ReturnType<typeof startServices>>;

/** Starts everything except the redirector, which the caller starts. */
export async function startServices(
  config: Config,
  engines: Engines,
  service: Pick<Service, 'logger' | 'onError' | 'stack'>,
) {
  const { logger, stack } = service;
  const { bus } = engines;
  const metrics = createMetrics();
  const disk = diskHealth(config.dataDir);
  const clock: HealthCheck = { required: false, check: clockHealth() };
  const urlPolicy = urlPolicyOf(config);

  const countries = readCountryDb(config.countryDb);
  const redirector = redirectorOf(config, engines, countries, logger, {
    disk: { required: false, check: disk },
    clock,
  });
  const scanner = await scannerOf(config, engines, service, urlPolicy, metrics);
  const ingest = createAnalyticsIngest({ bus, sink: engines.sink, logger });
  stack.defer(() => ingest.stop());

  const backup: BackupDeps = { archives: engines.archives, dataDir: config.dataDir, scanner, now };
  const backups = await configuredBackups(config, backup, logger);

  const proxies = untrustedProxies(logger);
  const health = {
    ...engines.health,
    ...(backups && { backup: backups.health }),
    scanner: { required: true, check: () => ({ ...scanner.status() }) },
    disk: { required: true, check: disk },
    clock,
    proxies: proxies.health,
  };
  const linkApiPorts: LinkApiPorts = {
    ...engines,
    ...config,
    webhookPolicy: { ...urlPolicy, allowed: config.webhookHostsAllowed },
    cache: cacheOf(redirector),
    scanner: scanner.scanner,
    feeds: scanner.feeds,
    urlPolicy,
    countryOf: openCountries(countries),
    proxies,
    health,
    logger,
    now,
    randomBytes,
    qrDrawer,
    onLateError: service.onError('work after a response failed'),
    dashboardDir: builtDashboard(),
  };
  const linkApi = createLinkApi(linkApiPorts, metrics);
  stack.defer(() => linkApi.stop());

  redirectorMetrics(metrics, redirector);
  ingestMetrics(metrics, ingest);
  busMetrics(metrics, bus);
  engines.measure(metrics);

  await ingest.start();
  await scanner.start();
  await linkApi.start();

  if (backups !== undefined) {
    backups.start();
    stack.defer(() => backups.stop());
  }

  const expiry = background({
    backOff: { first: 60_000, most: EXPIRY_EVERY_MS },
    work: expireVisitorSecret(engines, redirector, now),
    onFailure: service.onError('the previous visitor secret was not deleted'),
  }).start();
  stack.defer(() => expiry.stop());

  const allHealth = { ...redirector.checks, ...health };
  const commands = {
    ...running(linkApiCommands, { ...linkApiPorts, health: allHealth }),
    ...running(scannerCommands, { ...scanner, ...engines.scannerStores }),
    ...running(folderCommands, backup),
    ...running(secretCommands, { ...engines, redirector, logger, now }),
  };
  const operator = { commands, api: linkApi.forOperator };
  return { scanner, linkApi, redirector, metrics, operator, health: allHealth };
}
