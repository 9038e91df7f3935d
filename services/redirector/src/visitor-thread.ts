/** The visitors' thread of a separate redirector: reads links from Redis, else from PostgreSQL. */
import { eventualDatabase, postgresCacheGeneration, postgresLinkReader } from '@waypost/adapter-postgres';
import { redisLinkCache } from '@waypost/adapter-redis';
import { runVisitorThread } from './thread.ts';

export interface OwnSettings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The certificates of a private authority. */
  readonly redisCa: string | undefined;
}

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
  return {
    cache,
    reader: { find: async (slug) => postgresLinkReader(database.now()).find(slug) },
    checks: {
      database: { required: false, check: database.check },
      redis: { required: false, check: () => cache.health() },
    },
  };
});
