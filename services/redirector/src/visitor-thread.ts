/** The thread of a redirector as a process of its own: links from Redis, else from PostgreSQL. */
import {
  databaseAddress,
  openDatabase,
  pingDatabase,
  postgresCacheGeneration,
  postgresLinkReader,
} from '@waypost/adapter-postgres';
import { redisLinkCache } from '@waypost/adapter-redis';
import { errorFields, eventual } from '@waypost/service-kit';
import { runVisitorThread } from './thread.ts';

export interface OwnSettings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The certificates of a private authority. */
  readonly redisCa: string | undefined;
}

runVisitorThread<OwnSettings>(async ({ own, logger, stack }) => {
  const database = eventual(
    'database',
    () =>
      openDatabase({
        ...databaseAddress(own.databaseUrl),
        poolSize: 8,
        migrate: false,
        onIdleError: (error) => logger.error('database connection lost', errorFields(error)),
      }),
    (db) => db.destroy(),
    logger,
  );
  stack.push(() => database.stop());
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
      database: { required: false, check: async () => pingDatabase(database.now()).then(() => ({ ok: true })) },
      redis: { required: false, check: () => cache.health() },
    },
  };
});
