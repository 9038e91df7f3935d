export { checkRedis, REDIS } from './address.ts';
export { MICRO_CACHE_MS, type RedisLinkCache, type RedisLinkCacheOptions, redisLinkCache } from './link-cache.ts';
