/** The visitors' thread of a separate redirector: reads links from Redis, else from PostgreSQL. */
import { eventualDatabase, postgresCacheGeneration, postgresLinkReader } from '@waypost/adapter-postgres';
import { redisLinkCache } from '@waypost/adapter-redis';
import { within } from '@waypost/resilience';
import { runVisitorThread } from './thread.ts';

export interface OwnSettings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The certificates of a private authority. */
  readonly redisCa: string | undefined;
}

const CONNECT_WITHIN_MS = 2_000;

runVisitorThread<OwnSettings>(async ({ own, logger, stack }) => {
  const database = eventualDatabase({ url: own.databaseUrl, poolSize: 8, logger, stack });
  const cache = redisLinkCache({
    url: own.redisUrl,
    ca: own.redisCa,
    generation: {
      read: async () => postgresCacheGeneration(database.now()).read(),
      bump: async () => postgresCacheGeneration(database.now()).bump(),
    },
    logger,
  });
  stack.push(() => cache.stop());
  // Until then visitors are answered 503. While it is away, Redis alone serves them.
  await within(database.there, CONNECT_WITHIN_MS, undefined).catch(() => undefined);
  return {
    cache,
    reader: { find: async (slug) => postgresLinkReader(database.now()).find(slug) },
    checks: {
      database: { required: false, check: database.check },
      redis: { required: false, check: () => cache.health() },
    },
  };
});
