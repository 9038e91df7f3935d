/** link-api as a process of its own. `main.ts prepare` (`npm run waypost -- admin prepare`) makes topics and schemas, and ends. */
import {
  clickHouseHealth,
  clickhouseClickStats,
  connectClickHouse,
  prepareClickHouse,
} from '@waypost/adapter-clickhouse';
import { httpUrlScanner } from '@waypost/adapter-http';
import { kafkaBus, kafkaConnection, prepareTopics, topicSettings } from '@waypost/adapter-kafka';
import {
  databaseAddress,
  openDatabase,
  pingDatabase,
  postgresAccounts,
  postgresApiKeys,
  postgresCacheGeneration,
  postgresIdempotencyStore,
  postgresLinkReader,
  postgresLinkStore,
  postgresOutbox,
} from '@waypost/adapter-postgres';
import { redisLinkCache } from '@waypost/adapter-redis';
import { ownHostOf } from '@waypost/domain';
import { clockHealth, diskHealth, internalApp, runService, type Service } from '@waypost/service-kit';
import { getDomain } from 'tldts';
import { createLinkApi } from './app.ts';
import { type EnginesConfig, type LinkApiConfig, linkApiConfig, type PrepareConfig, prepareConfig } from './config.ts';
import { linkApiCommands } from './operator-commands.ts';

if (process.argv[2] === 'prepare') {
  await runService('prepare', prepareConfig, async (service, config) => {
    await prepare(service, config);
    await service.stack.unwind();
    process.exit(0);
  });
} else {
  await runService('link-api', linkApiConfig, serve);
}

function open({ stack, onError, eventual }: Service, config: EnginesConfig, migrate: boolean) {
  const database = eventual(
    'database',
    () =>
      openDatabase({
        ...databaseAddress(config.databaseUrl),
        poolSize: 20,
        migrate,
        onIdleError: onError('database connection lost'),
      }),
    (db) => db.destroy(),
  );
  const { database: clickDatabase, ...server } = config.clickhouseUrl;
  const clickhouse = connectClickHouse({ ...server, ca: config.clickhouseCaFile });
  stack.push(() => clickhouse.close());
  return { database, clickhouse, clickDatabase };
}

async function prepare(service: Service, config: PrepareConfig): Promise<void> {
  const { database, clickhouse, clickDatabase } = open(service, config, true);
  await database.there;
  const topics = await prepareTopics({
    ...kafkaConnection(config),
    clientId: 'prepare',
    logger: service.logger,
    grants: config.kafkaAcls === 'services',
    topics: topicSettings(config.kafkaBrokers.length >= 3 ? 3 : 1),
  });
  await service.eventual('click store', () => prepareClickHouse(clickhouse, clickDatabase)).there;
  const { created, existing, warnings } = topics;
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify(topics)}\n`);
    return;
  }
  const says = [
    `Topics made: ${created.join(', ') || 'none'}. There already: ${existing.join(', ') || 'none'}.`,
    ...warnings.map((warning) => `Left as it is: ${warning}.`),
    'The schemas of PostgreSQL and ClickHouse are up to date.',
  ];
  process.stdout.write(`${says.join('\n')}\n`);
}

async function serve(service: Service, config: LinkApiConfig): Promise<void> {
  const { logger, metrics, stack, fatal, onError } = service;
  const { database, clickhouse, clickDatabase } = open(service, config, false);
  const bus = kafkaBus({ ...kafkaConnection(config), clientId: 'link-api', logger, onFatal: fatal });
  stack.push(() => bus.stop());
  const scanner = httpUrlScanner({ url: config.scannerUrl, logger });
  stack.push(() => scanner.stop());

  // Everything but health needs the database: nothing is served before it was there once.
  const health = {
    database: { required: true, check: async () => pingDatabase(database.now()).then(() => ({ ok: true })) },
  };
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
    ...health,
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
  const commands = linkApiCommands({ accounts, keys, links, cache, baseUrl: config.baseUrl, now });
  await service.command(commands, config.operatorSocket);
  await service.serve(internalApp({ metrics, health: checks }), config.internalPort, config.host);
  await service.serve(linkApi.app, config.port, config.host);
}
