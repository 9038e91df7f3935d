/** A redirector as a process of its own. It serves without Kafka, and what Redis knows also without PostgreSQL. */
import { kafkaBus, kafkaConnection } from '@waypost/adapter-kafka';
import {
  databaseAddress,
  openDatabase,
  pingDatabase,
  postgresCacheGeneration,
  postgresLinkReader,
} from '@waypost/adapter-postgres';
import { redisLinkCache } from '@waypost/adapter-redis';
import { clockHealth, diskHealth, drainServer, internalApp, listen, runService } from '@waypost/service-kit';
import { createRedirector } from './app.ts';
import { redirectorConfig } from './config.ts';

/** How long a revoke must wait for this process (decision 0008): link-api knows the same number. */
const MICRO_CACHE = { lifetimeMs: 200, size: 100_000 };

await runService(
  'redirector',
  redirectorConfig,
  async ({ logger, metrics, stack, fatal, onError, serve, eventual }, config) => {
    const database = eventual(
      'database',
      () =>
        openDatabase({
          ...databaseAddress(config.DATABASE_URL),
          poolSize: 8,
          migrate: false,
          onIdleError: onError('database connection lost'),
        }),
      (db) => db.destroy(),
    );
    const bus = kafkaBus({ ...kafkaConnection(config), clientId: 'redirector', logger, onFatal: fatal });
    stack.push(() => bus.stop());
    const cache = redisLinkCache({
      url: config.REDIS_URL,
      ca: config.REDIS_CA_FILE,
      generation: {
        read: async () => postgresCacheGeneration(database.now()).read(),
        bump: async () => postgresCacheGeneration(database.now()).bump(),
      },
      lifetimeMs: MICRO_CACHE.lifetimeMs,
      logger,
    });
    stack.push(() => cache.stop());

    const checks = {
      // A visitor whose link is cached is answered without any of them.
      database: { required: false, check: async () => pingDatabase(database.now()).then(() => ({ ok: true })) },
      redis: { required: false, check: () => cache.health() },
      kafka: { required: false, check: () => bus.health() },
      disk: { required: false, check: diskHealth(config.CLICK_LOG_DIR) },
      clock: { required: false, check: clockHealth() },
    };
    const redirector = createRedirector({
      cache,
      reader: { find: async (slug) => postgresLinkReader(database.now()).find(slug) },
      bus,
      clickLogDir: config.CLICK_LOG_DIR,
      clickLogMaxBytes: config.CLICK_LOG_MAX_BYTES,
      visitorSecret: config.VISITOR_SECRET,
      redirectBaseUrl: config.REDIRECT_BASE_URL,
      trustedProxies: config.TRUSTED_PROXIES,
      microCache: MICRO_CACHE,
      extraChecks: checks,
      contact: config.CONTACT,
      logger,
      now: Date.now,
    });
    redirector.start();
    stack.push(() => redirector.stop());
    metrics.gauges('click_log', () => redirector.status());
    metrics.gauges('redirector', async () => ({ openConnections: await redirector.openConnections() }));
    await serve(internalApp({ metrics, health: redirector.checks }), config.INTERNAL_PORT, config.HOST);
    await listen(redirector.server, config.PORT, config.HOST);
    stack.push(() => drainServer(redirector.server));
  },
);
