/** link-api as a separate process. */
import { randomBytes } from 'node:crypto';
import {
  clickHouseHealth,
  clickhouseClickPurge,
  clickhouseClickStats,
  connectClickHouse,
} from '@waypost/adapter-clickhouse';
import { httpUrlScanner, webhookSender } from '@waypost/adapter-http';
import { kafkaBus, kafkaConnection } from '@waypost/adapter-kafka';
import { configuredProvider } from '@waypost/adapter-oidc';
import {
  eventualDatabase,
  poolMetrics,
  postgresCacheGeneration,
  postgresLinkApiStores,
} from '@waypost/adapter-postgres';
import { redisLinkCache } from '@waypost/adapter-redis';
import { webAuthnCeremonies } from '@waypost/adapter-webauthn';
import { running } from '@waypost/command-line';
import { clockHealth, diskHealth, internalApp, runService } from '@waypost/process';
import { busMetrics } from '@waypost/typed-bus';
import { createLinkApi } from './app.ts';
import { linkApiConfig, urlPolicy } from './config.ts';
import { builtDashboard } from './dashboard-dir.ts';
import type { LinkApiDeps } from './deps.ts';
import { queueMetrics } from './metrics.ts';
import { linkApiCommands } from './operator-commands.ts';

await runService('link-api', linkApiConfig, async (service, config) => {
  const { logger, metrics, stack, fatal, onError } = service;
  const database = eventualDatabase({ url: config.databaseUrl, poolSize: 20, logger, stack });
  const { database: clickDatabase, ...server } = config.clickhouseUrl;
  const clickhouse = connectClickHouse({ ...server, ca: config.clickhouseCaFile });
  stack.push(() => clickhouse.close());
  const bus = kafkaBus({ ...kafkaConnection(config), clientId: 'link-api', logger, onFatal: fatal });
  stack.push(() => bus.stop());
  const scanner = httpUrlScanner({ url: config.scannerUrl, logger });
  stack.push(() => scanner.stop());

  // Everything except health needs the database, so nothing is served before the first connection.
  const db = await database.there;
  const generation = postgresCacheGeneration(db);
  const cache = redisLinkCache({ url: config.redisUrl, ca: config.redisCaFile, generation, logger });
  stack.push(() => cache.stop());
  const stores = postgresLinkApiStores(db, config, onError('outbox relay failed'));
  const health: LinkApiDeps['health'] = {
    database: { required: true, check: database.check },
    // Creations need it; listing, analytics and revoking do not.
    scanner: { required: false, check: () => scanner.health() },
    redis: { required: false, check: () => cache.health() },
    kafka: { required: false, check: () => bus.health() },
    clickhouse: { required: false, check: async (signal) => ({ ...(await clickHouseHealth(clickhouse, signal)) }) },
    disk: { required: false, check: diskHealth(process.cwd()) }, // it stores nothing there, but its machine may
    clock: { required: false, check: clockHealth() },
  };
  const deps: LinkApiDeps = {
    ...stores,
    ceremonies: webAuthnCeremonies(config.baseUrl),
    byProvider: configuredProvider(config, logger),
    sendWebhook: webhookSender({ allowed: config.webhookHostsAllowed }),
    webhookPolicy: { ...urlPolicy(config), allowed: config.webhookHostsAllowed },
    webhookConcurrency: config.webhookConcurrency,
    cache,
    scanner,
    feeds: scanner.feeds,
    stats: clickhouseClickStats(clickhouse, clickDatabase),
    clicks: clickhouseClickPurge(clickhouse, clickDatabase, onError('the clicks of deleted accounts go by their age')),
    bus,
    urlPolicy: urlPolicy(config),
    baseUrl: config.baseUrl,
    redirectBaseUrl: config.redirectBaseUrl,
    trustedProxies: config.trustedProxies,
    health,
    logger,
    now: () => new Date(),
    randomBytes,
    onLateError: onError('after the answer'),
    dashboardDir: builtDashboard(),
  };
  const linkApi = createLinkApi(deps, metrics);
  await linkApi.start();
  stack.push(() => linkApi.stop());

  queueMetrics(metrics, stores);
  poolMetrics(metrics, () => db);
  busMetrics(metrics, bus);
  await service.command(running(linkApiCommands, deps), config.operatorSocket);
  await service.serve(internalApp({ metrics, health }), config.internalPort, config.host);
  await service.serve(linkApi.app, config.port, config.host);
});
