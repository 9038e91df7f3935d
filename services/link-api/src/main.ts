/** link-api as a process of its own. */
import { clickHouseHealth, clickhouseClickStats, connectClickHouse } from '@waypost/adapter-clickhouse';
import { httpUrlScanner } from '@waypost/adapter-http';
import { kafkaBus, kafkaConnection } from '@waypost/adapter-kafka';
import {
  eventualDatabase,
  postgresAccounts,
  postgresApiKeys,
  postgresCacheGeneration,
  postgresIdempotencyStore,
  postgresLinkReader,
  postgresLinkStore,
  postgresOutbox,
} from '@waypost/adapter-postgres';
import { redisLinkCache } from '@waypost/adapter-redis';
import { running } from '@waypost/command-line';
import { ownHostOf } from '@waypost/domain';
import { clockHealth, diskHealth, internalApp, runService } from '@waypost/service-kit';
import { getDomain } from 'tldts';
import { createLinkApi } from './app.ts';
import { linkApiConfig } from './config.ts';
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

  // Everything but health needs the database: nothing is served before it was there once.
  const db = await database.there;
  const cache = redisLinkCache({
    url: config.redisUrl,
    ca: config.redisCaFile,
    generation: postgresCacheGeneration(db),
    logger,
  });
  stack.push(() => cache.stop());

  const { creationsPerHour } = config;
  const now = () => new Date();
  const accounts = postgresAccounts(db);
  const keys = postgresApiKeys(db, { creationsPerHour });
  const links = postgresLinkStore(db, { creationsPerHour });
  const outbox = postgresOutbox(db, onError('outbox relay failed'));
  const checks = {
    database: { required: true, check: database.check },
    // Without it nothing is created, but links are still listed, analysed and revoked.
    scanner: { required: false, check: () => scanner.health() },
    redis: { required: false, check: () => cache.health() },
    kafka: { required: false, check: () => bus.health() },
    clickhouse: {
      required: false,
      check: async (signal: AbortSignal) => ({ ...(await clickHouseHealth(clickhouse, signal)) }),
    },
    disk: { required: false, check: diskHealth(process.cwd()) }, // it keeps nothing there, but its machine may
    clock: { required: false, check: clockHealth() },
  };
  const linkApi = createLinkApi({
    accounts,
    keys,
    links,
    idempotency: postgresIdempotencyStore(db),
    outbox,
    reader: postgresLinkReader(db),
    cache,
    scanner,
    stats: clickhouseClickStats(clickhouse, clickDatabase),
    bus,
    urlPolicy: {
      registrableDomain: (host) =>
        getDomain(host, { extractHostname: false, validateHostname: false, allowPrivateDomains: false }),
      ownHosts: [ownHostOf(config.baseUrl), ownHostOf(config.redirectBaseUrl), ...config.ownHosts],
      allowed: config.destinationHostsAllowed,
    },
    baseUrl: config.baseUrl,
    redirectBaseUrl: config.redirectBaseUrl,
    health: checks,
    logger,
    now,
    onLateError: onError('after the answer'),
  });
  await linkApi.start();
  stack.push(() => linkApi.stop());

  metrics.gauges('outbox', () => outbox.backlog());
  const commands = running(linkApiCommands, { accounts, keys, links, cache, baseUrl: config.baseUrl, now });
  await service.command(commands, config.operatorSocket);
  await service.serve(internalApp({ metrics, health: checks }), config.internalPort, config.host);
  await service.serve(linkApi.app, config.port, config.host);
});
