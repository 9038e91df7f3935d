/** A redirector as a process of its own. It serves without Kafka, and what Redis knows also without PostgreSQL. */
import { kafkaBus, kafkaConnection } from '@waypost/adapter-kafka';
import { MICRO_CACHE_MS } from '@waypost/adapter-redis';
import { clockHealth, diskHealth, internalApp, runService } from '@waypost/service-kit';
import { createRedirector } from './app.ts';
import { redirectorConfig } from './config.ts';
import type { OwnSettings } from './visitor-thread.ts';

const MICRO_CACHE = { lifetimeMs: MICRO_CACHE_MS, size: 100_000 };

await runService('redirector', redirectorConfig, async ({ logger, metrics, stack, fatal, serve }, config) => {
  const bus = kafkaBus({ ...kafkaConnection(config), clientId: 'redirector', logger, onFatal: fatal });
  stack.push(() => bus.stop());

  const redirector = createRedirector<OwnSettings>({
    threads: config.REDIRECT_WORKERS,
    threadModule: new URL('./visitor-thread.ts', import.meta.url),
    own: {
      databaseUrl: config.DATABASE_URL,
      redisUrl: config.REDIS_URL,
      redisCa: config.REDIS_CA_FILE,
    },
    // A visitor whose link is cached is answered without any of them.
    threadDependencies: ['database', 'redis'],
    extraChecks: {
      kafka: { required: false, check: () => bus.health() },
      disk: { required: false, check: diskHealth(config.CLICK_LOG_DIR) },
      clock: { required: false, check: clockHealth() },
    },
    host: config.HOST,
    port: config.PORT,
    bus,
    clickLogDir: config.CLICK_LOG_DIR,
    clickLogMaxBytes: config.CLICK_LOG_MAX_BYTES,
    visitorSecret: config.VISITOR_SECRET,
    redirectBaseUrl: config.REDIRECT_BASE_URL,
    trustedProxies: config.TRUSTED_PROXIES,
    microCache: MICRO_CACHE,
    contact: config.CONTACT,
    logger,
    logLevel: config.LOG_LEVEL,
    now: Date.now,
  });
  metrics.gauges('click_log', () => redirector.status());
  metrics.gauges('redirector', async () => ({ openConnections: (await redirector.status()).openConnections }));
  await serve(internalApp({ metrics, health: redirector.checks }), config.INTERNAL_PORT, config.HOST);
  await redirector.start();
  stack.push(() => redirector.stop());
});
