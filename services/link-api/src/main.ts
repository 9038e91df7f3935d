import { randomBytes } from 'node:crypto';
import {
  clickHouseHealth,
  clickhouseClickPurge,
  clickhouseClickStats,
  clickhouseStoredClicks,
  connectClickHouse,
} from '@waypost/adapter-clickhouse';
import { httpUrlScanner } from '@waypost/adapter-http';
import { kafkaBus, kafkaConnection } from '@waypost/adapter-kafka';
import { redisLinkCache } from '@waypost/adapter-redis';
import { LINK_API_SCHEMA, postgresCacheGeneration } from '@waypost/link-api-schema';
import { running } from '@waypost/operator';
import { openCountries, readCountryDb } from '@waypost/origin/countries';
import { eventualDatabase, poolMetrics } from '@waypost/postgres';
import { clockHealth, diskHealth, internalApp, runService, untrustedProxies } from '@waypost/process';
import { qrDrawer } from '@waypost/qr-code/qr-drawer';
import { busMetrics } from '@waypost/typed-bus';
import { configuredProvider, webAuthnCeremonies } from './accounts/index.ts';
import { createLinkApi, type LinkApiPorts, postgresLinkApiStores } from './app.ts';
import { linkApiConfig, urlPolicy } from './config.ts';
import { builtDashboard } from './dashboard/index.ts';
import { redirectorsHealth } from './health/index.ts';
import { smtpMail } from './notices/index.ts';
import { linkApiCommands } from './operator-commands.ts';
import { webhookSender } from './webhooks/index.ts';

await runService('link-api', linkApiConfig, async (service, config) => {
  const { logger, metrics, stack, fatal, onError } = service;
  const database = eventualDatabase({
    url: config.databaseUrl,
    poolSize: 20,
    expect: LINK_API_SCHEMA,
    logger,
    stack,
  });
  const { database: clickDatabase, ...server } = config.clickhouseUrl;
  const clickhouse = connectClickHouse({ ...server, ca: config.clickhouseCaFile });
  stack.defer(() => clickhouse.close());
  const bus = kafkaBus({ ...kafkaConnection(config), clientId: 'link-api', logger, onFatal: fatal });
  stack.defer(() => bus.stop());
  const scanner = httpUrlScanner({ url: config.scannerUrl, logger });
  stack.defer(() => scanner.stop());

  // All endpoints except health need the database, so the server starts after the first connection.
  const db = await database.there;
  const generation = postgresCacheGeneration(db);
  const cache = redisLinkCache({ url: config.redisUrl, ca: config.redisCaFile, generation, logger });
  stack.defer(() => cache.stop());
  const stores = postgresLinkApiStores(db, config, onError('outbox relay failed'));
  const proxies = untrustedProxies(logger);
  const health: LinkApiPorts['health'] = {
    database: { required: true, check: database.check },
    // Only creations need the scanner, so the service is ready without it.
    scanner: { required: false, check: () => scanner.health() },
    redis: { required: false, check: () => cache.health() },
    kafka: { required: false, check: () => bus.health() },
    clickhouse: { required: false, check: (signal) => clickHouseHealth(clickhouse, signal) },
    // The service stores nothing on this disk, but other programs on the machine may fill it.
    disk: { required: false, check: diskHealth(process.cwd()) },
    clock: { required: false, check: clockHealth({ shared: database.clock }) },
    proxies: proxies.health,
  };
  const ports: LinkApiPorts = {
    ...config,
    ...stores,
    ceremonies: webAuthnCeremonies(config.baseUrl),
    byProvider: configuredProvider(config, logger),
    sendMail: smtpMail(config),
    sendWebhook: webhookSender({ allowed: config.webhookHostsAllowed }),
    webhookPolicy: { ...urlPolicy(config), allowed: config.webhookHostsAllowed },
    cache,
    scanner,
    feeds: scanner.feeds,
    stats: clickhouseClickStats(clickhouse, clickDatabase),
    storedClicks: clickhouseStoredClicks(clickhouse, clickDatabase),
    clicks: clickhouseClickPurge(clickhouse, clickDatabase, onError('deleting the clicks of deleted accounts failed')),
    bus,
    urlPolicy: urlPolicy(config),
    countryOf: openCountries(readCountryDb(config.countryDb)),
    proxies,
    health,
    logger,
    now: () => new Date(),
    randomBytes,
    qrDrawer,
    onLateError: onError('work after an answer failed'),
    dashboardDir: builtDashboard(),
  };
  const linkApi = createLinkApi(ports, metrics);
  await linkApi.start();
  stack.defer(() => linkApi.stop());

  poolMetrics(metrics, () => db);
  busMetrics(metrics, bus);
  const redirectors = { required: false, check: redirectorsHealth(config.redirectBaseUrl) };
  const commands = running(linkApiCommands, { ...ports, health: { ...health, redirectors } });
  await service.operate({ commands, api: linkApi.forOperator }, config.operatorSocket);
  await service.serve(internalApp({ metrics, health }), config.internalPort, config.host);
  await service.serve(linkApi.app, config.port, config.host, config.trustedProxies);
});
