/** A redirector as a separate process. It works without Kafka, and without PostgreSQL for links that Redis has. */
import { kafkaBus, kafkaConnection } from '@waypost/adapter-kafka';
import { MICRO_CACHE_MS } from '@waypost/adapter-redis';
import { readCountryDb } from '@waypost/origin/countries';
import { diskHealth, internalApp, runService } from '@waypost/process';
import { createRedirector } from './app.ts';
import { redirectorConfig } from './config.ts';
import { redirectorMetrics } from './metrics.ts';
import type { OwnSettings } from './visitor-thread.ts';

const MICRO_CACHE = { lifetimeMs: MICRO_CACHE_MS, size: 100_000 };

await runService('redirector', redirectorConfig, async ({ logger, metrics, stack, fatal, serve }, config) => {
  const bus = kafkaBus({ ...kafkaConnection(config), clientId: 'redirector', logger, onFatal: fatal });
  stack.defer(() => bus.stop());

  const redirector = createRedirector<OwnSettings>({
    ...config,
    threads: config.redirectWorkers,
    threadModule: new URL('./visitor-thread.ts', import.meta.url),
    own: config,
    countries: readCountryDb(config.countryDb),
    // A link in memory needs none of these.
    threadDependencies: ['database', ...(config.databaseReadUrl === undefined ? [] : ['standby']), 'redis', 'clock'],
    health: {
      kafka: { required: false, check: () => bus.health() },
      disk: { required: false, check: diskHealth(config.clickLogDir) },
    },
    bus,
    microCache: MICRO_CACHE,
    logger,
    now: Date.now,
  });
  redirectorMetrics(metrics, redirector);
  await serve(internalApp({ metrics, health: redirector.checks }), config.internalPort, config.host);
  await redirector.start();
  stack.defer(() => redirector.stop());
});
