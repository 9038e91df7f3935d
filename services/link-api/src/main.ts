/** link-api as a process of its own. `main.ts prepare` (`npm run waypost -- admin prepare`) makes topics and schemas, and ends. */
import {
  clickHouseAddress,
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
import { type LinkApiConfig, linkApiConfig, type PrepareConfig, prepareConfig } from './config.ts';
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

function open({ stack, onError, eventual }: Service, config: Omit<PrepareConfig, 'KAFKA_ACLS'>, migrate: boolean) {
  const database = eventual(
    'database',
    () =>
      openDatabase({
        ...databaseAddress(config.DATABASE_URL),
        poolSize: 20,
        migrate,
        onIdleError: onError('database connection lost'),
      }),
    (db) => db.destroy(),
  );
  const { database: clickDatabase, ...server } = clickHouseAddress(config.CLICKHOUSE_URL);
  const clickhouse = connectClickHouse({ ...server, ca: config.CLICKHOUSE_CA_FILE });
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
    grants: config.KAFKA_ACLS === 'services',
    topics: topicSettings(config.KAFKA_BROKERS.length >= 3 ? 3 : 1),
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
  const scanner = httpUrlScanner({ url: config.SCANNER_URL, logger });
  stack.push(() => scanner.stop());

  // Everything but health needs the database: nothing is served before it was there once.
  const health = {
    database: { required: true, check: async () => pingDatabase(database.now()).then(() => ({ ok: true })) },
  };
  const db = await database.there;
  const cache = redisLinkCache({
    url: config.REDIS_URL,
    ca: config.REDIS_CA_FILE,
    generation: postgresCacheGeneration(db),
    logger,
  });
  stack.push(() => cache.stop());

  const { CREATIONS_PER_HOUR: creationsPerHour } = config;
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
      ownHosts: [ownHostOf(config.BASE_URL), ownHostOf(config.REDIRECT_BASE_URL), ...config.OWN_HOSTS],
      allowed: config.DESTINATION_HOSTS_ALLOWED,
    },
    baseUrl: config.BASE_URL,
    redirectBaseUrl: config.REDIRECT_BASE_URL,
    health: checks,
    logger,
    now,
    onLateError: onError('after the answer'),
  });
  await linkApi.start();
  stack.push(() => linkApi.stop());

  metrics.gauges('outbox', () => outbox.backlog());
  const commands = linkApiCommands({ accounts, keys, links, cache, baseUrl: config.BASE_URL, now });
  await service.command(commands, config.OPERATOR_SOCKET);
  await service.serve(internalApp({ metrics, health: checks }), config.INTERNAL_PORT, config.HOST);
  await service.serve(linkApi.app, config.PORT, config.HOST);
}
