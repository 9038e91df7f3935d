import { redisLinkCache } from '../../libs/adapter-redis/src/index.ts';
import type { CacheState, LinkCache } from '../../libs/ports/src/index.ts';
import { createLogger } from '../../libs/telemetry/src/index.ts';
import { runVisitorThread } from '../../services/redirector/src/index.ts';
import { benchLinks, REVOKED } from './links.ts';

runVisitorThread(async () => {
  const links = new Map([...benchLinks(), REVOKED].map((record) => [record.slug, record]));
  const { REDIS_URL: redisUrl } = process.env;
  return {
    cache: redisUrl === undefined ? inMemory((slug) => links.get(slug)) : onRedis(redisUrl),
    reader: { find: async (slug) => links.get(slug) },
    checks: {},
  };
});

const inMemory = (get: (slug: string) => Awaited<ReturnType<LinkCache['get']>>): LinkCache => ({
  get: async (slug) => get(slug),
  fill: async (record) => record,
  fillUnknown: async () => null,
  put: async () => undefined,
  replace: async () => undefined,
  announce: async () => undefined,
  watch: () => undefined,
});

function onRedis(url: string): LinkCache {
  let servers: CacheState['servers'] = {};
  const generation = {
    read: async () => ({ generation: 1, servers }),
    bump: async () => undefined,
    admit: async (ids: readonly string[]) => {
      servers = Object.fromEntries(ids.map((id) => [id, servers[id] ?? crypto.randomUUID()]));
    },
  };
  return redisLinkCache({ url, generation, logger: createLogger('redirector', 'warn') });
}
