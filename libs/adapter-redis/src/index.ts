export { checkRedis, REDIS } from './address.ts';
export type { WhenCutOff } from './generation-watch.ts';
export {
  GENERATION_LIFETIME_MS,
  MICRO_CACHE_MS,
  type RedisLinkCache,
  type RedisLinkCacheOptions,
  redisLinkCache,
} from './link-cache.ts';
