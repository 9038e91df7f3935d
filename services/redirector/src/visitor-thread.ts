/** The visitors' thread of a separate redirector. It reads links from Redis, then from PostgreSQL. */

import { redisLinkCache, type WhenCutOff } from '@waypost/adapter-redis';
import {
  LINK_API_SCHEMA,
  postgresCacheGeneration,
  postgresLinkReader,
  standbyLinkReader,
} from '@waypost/link-api-schema';
import { eventualDatabase } from '@waypost/postgres';
import { clockHealth } from '@waypost/process';
import { within } from '@waypost/resilience';
import { runVisitorThread } from './threads/run-thread.ts';

export interface OwnSettings {
  readonly databaseUrl: string;
  readonly databaseReadUrl: string | undefined;
  readonly redisUrl: string;
  /** The certificates of a private authority for Redis, in PEM. */
  readonly redisCaFile: string | undefined;
  readonly whenCutOff: WhenCutOff;
}

const CONNECT_WITHIN_MS = 2_000;

runVisitorThread<OwnSettings>(async ({ own, logger, stack }) => {
  const open = (url: string) =>
    eventualDatabase({ url, poolSize: 8, expect: LINK_API_SCHEMA, mayBePooled: true, logger, stack });
  const database = open(own.databaseUrl);
  const standby = own.databaseReadUrl === undefined ? undefined : open(own.databaseReadUrl);
  const cache = redisLinkCache({
    url: own.redisUrl,
    ca: own.redisCaFile,
    whenCutOff: own.whenCutOff,
    generation: {
      read: async () => postgresCacheGeneration(database.now()).read(),
      bump: async () => postgresCacheGeneration(database.now()).bump(),
    },
    logger,
  });
  stack.defer(() => cache.stop());
  // Visitors get 503 until PostgreSQL is connected. If it takes too long, the thread starts with Redis alone.
  await within(database.there, CONNECT_WITHIN_MS, undefined).catch(() => undefined);
  return {
    cache,
    reader:
      standby === undefined
        ? { find: async (slug) => postgresLinkReader(database.now()).find(slug) }
        : standbyLinkReader(database.now, standby.now),
    checks: {
      database: { required: false, check: database.check },
      ...(standby === undefined ? {} : { standby: { required: false, check: standby.check } }),
      redis: { required: false, check: () => cache.health() },
      clock: { required: false, check: clockHealth({ shared: database.clock }) },
    },
  };
});
