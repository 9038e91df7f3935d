import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { type Engine, type RedisOptions, startRedis, startRedisCluster, startRedisSentinels } from '@waypost/engines';
import type { CacheGeneration } from '@waypost/ports';
import { SILENT } from '@waypost/test-support';
import { Redis } from 'ioredis';
import { type RedisLinkCache, type RedisLinkCacheOptions, redisLinkCache } from '../src/index.ts';

/** For tests of what the cache holds. A busy machine is late, and a fill that is late may be lost. */
export const PATIENT = {
  commandTimeoutMs: 10_000,
  generationLifetimeMs: 1_500,
} satisfies Partial<RedisLinkCacheOptions>;

export interface RedisUnderTest {
  readonly engine: Engine;
  readonly url: string;
  readonly direct: Redis;
  cache(options?: Partial<RedisLinkCacheOptions>): RedisLinkCache;
}

export function redisUnderTest(options: { appendOnly?: boolean } = {}): () => RedisUnderTest {
  let engine: Engine;
  let dir: string;
  let direct: Redis;
  const caches: RedisLinkCache[] = [];
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'waypost-redis-'));
    engine = await startRedis({ dir, ...options });
    direct = new Redis(engine.port, '127.0.0.1', { lazyConnect: true });
    direct.on('error', () => undefined);
  });
  afterAll(async () => {
    for (const cache of caches) await cache.stop();
    direct?.disconnect();
    await engine?.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return () => {
    const url = `redis://127.0.0.1:${engine.port}`;
    return {
      engine,
      url,
      direct,
      cache(overrides = {}) {
        const cache = redisLinkCache({
          url,
          generation: memoryGeneration(),
          lifetimeMs: 20,
          logger: SILENT,
          ...overrides,
        });
        caches.push(cache);
        return cache;
      },
    };
  };
}

/** Starts a cluster or Sentinels before the tests of a file, and stops them after. */
export function severalRedisUnderTest<Kind extends 'cluster' | 'sentinels'>(
  kind: Kind,
  settings: RedisOptions['settings'] = {},
) {
  const start = { cluster: startRedisCluster, sentinels: startRedisSentinels }[kind];
  let running: Awaited<ReturnType<typeof startRedisCluster | typeof startRedisSentinels>> | undefined;
  let dir: string;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), `waypost-redis-${kind}-`));
    running = await start({ dir, settings });
  }, 60_000);
  afterAll(async () => {
    await running?.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  return () =>
    running as Awaited<ReturnType<{ cluster: typeof startRedisCluster; sentinels: typeof startRedisSentinels }[Kind]>>;
}

export interface MemoryGeneration extends CacheGeneration {
  value: number;
  servers: Record<string, string>;
  isAway: boolean;
  reads: number;
}

/** This keeps only a number, because libs/postgres tests how PostgreSQL stores it. */
export function memoryGeneration(): MemoryGeneration {
  const check = () => {
    if (generation.isAway) throw new Error('the store is away');
  };
  const generation: MemoryGeneration = {
    value: 1,
    servers: {},
    isAway: false,
    reads: 0,
    read: async () => {
      generation.reads += 1;
      check();
      return { generation: generation.value, servers: generation.servers };
    },
    bump: async () => {
      check();
      generation.value += 1;
    },
    admit: async (servers) => {
      check();
      generation.servers = Object.fromEntries(
        servers.map((id) => [id, generation.servers[id] ?? randomUUID().slice(0, 8)]),
      );
    },
  };
  return generation;
}
