import { beforeAll, describe, expect, test } from '@jest/globals';
import { active, linkCacheContract, revoked, unique } from '@waypost/contracts';
import { type Engine, redisCli } from '@waypost/engines';
import { until } from '@waypost/test-support';
import type { RedisLinkCache, RedisLinkCacheOptions } from '../src/index.ts';
import { memoryGeneration, PATIENT, redisUnderTest, severalRedisUnderTest } from './redis-under-test.ts';

const single = redisUnderTest();
const command = ({ port }: Engine, ...words: string[]) => redisCli(port, words);

describe.each([
  ['cluster', 3],
  ['sentinels', 1],
] as const)('Redis with several servers: %s', (kind, servers) => {
  const redis = severalRedisUnderTest(kind);
  const generation = memoryGeneration();
  let linkApi: RedisLinkCache;
  let redirector: RedisLinkCache;
  beforeAll(async () => {
    [linkApi, redirector] = await open({ generationLifetimeMs: 100 });
    await until(() => Object.keys(generation.servers).length === servers, 10_000);
  }, 30_000);

  async function open(settings: Partial<RedisLinkCacheOptions>) {
    const { read, bump } = generation;
    const { url } = redis();
    const caches = [
      single().cache({ url, generation, ...settings }),
      single().cache({ url, generation: { read, bump }, ...settings }),
    ] as const;
    await until(async () => (await caches[1].health()).ok);
    return caches;
  }

  /** Resolves when the redirector has read the link back. A busy machine may answer too late. */
  const fill = (slug: string) =>
    until(async () => {
      await redirector.fill(active(slug));
      return (await redirector.get(slug)) !== undefined;
    });

  const engines = () => {
    const running = redis();
    return 'nodes' in running ? running.nodes : running.servers;
  };
  const keysOf = async (engine: Engine, slug: string) =>
    (await command(engine, 'KEYS', `*${slug}`)).split('\n').filter((key) => key !== '');

  /** The master and the replica of the link's server. */
  async function pairOf(slug: string): Promise<{ master: Engine; replica: Engine }> {
    const roles = await Promise.all(engines().map(async (engine) => ({ engine, role: await command(engine, 'ROLE') })));
    for (const { engine: master, role } of roles) {
      if (!role.startsWith('master') || (await keysOf(master, slug)).length === 0) continue;
      const replica = roles.find(({ role }) => role.startsWith('slave') && role.includes(`\n${master.port}\n`));
      if (replica !== undefined) return { master, replica: replica.engine };
    }
    throw new Error('no master with a replica has the link');
  }

  // With Sentinels there is one server, as in link-cache.stack.ts.
  if (kind === 'cluster')
    linkCacheContract(kind, async () => ({ caches: await open(PATIENT), close: async () => undefined }));

  test('links on every server are read back, and one call writes to all of them', async () => {
    await until(async () => {
      const slugs = Array.from({ length: 300 }, () => unique());
      const read = () => Promise.all(slugs.map((slug) => redirector.get(slug)));
      await linkApi.announce(slugs.map((slug) => active(slug)));
      const first = await read();
      await linkApi.put(slugs.map((slug) => revoked(slug)));
      const second = await read();
      if (first.includes(undefined) || second.includes(undefined)) return false; // a late answer of a busy machine
      expect(first).toEqual(slugs.map((slug) => active(slug)));
      expect(second).toEqual(slugs.map((slug) => revoked(slug)));
      return true;
    }, 10_000);
  });

  test('a server is not read until link-api admits it, nor after it is admitted no longer', async () => {
    const slug = unique();
    await fill(slug);
    const { servers: before } = generation;
    generation.servers = {};
    await until(async () => (await redirector.get(slug)) === undefined);
    // The timer of link-api admits the same servers under new names, so what they had before is never read.
    await until(() => Object.keys(generation.servers).length === servers, 5_000);
    for (const [id, name] of Object.entries(generation.servers)) expect(name).not.toBe(before[id]);
    expect(await redirector.get(slug)).toBeUndefined();
  });

  test('a promoted replica that lacks a revoke, and has the link as it was, is not read for it', async () => {
    const slug = unique();
    await fill(slug);
    const { master, replica } = await pairOf(slug);
    await until(async () => (await keysOf(replica, slug)).length > 0);
    replica.pause();
    await command(master, 'CLIENT', 'KILL', 'TYPE', 'replica');
    await linkApi.replace([revoked(slug)]);
    await master.kill();
    replica.resume();
    await until(async () => {
      expect((await redirector.get(slug)) ?? revoked(slug)).toEqual(revoked(slug));
      // A Sentinel closes every connection to the server that it promotes, this one as well.
      return (await command(replica, 'ROLE').catch(() => '')).startsWith('master');
    }, 30_000);
    // What it holds is the link as it was: whoever read it would redirect.
    const [key] = await keysOf(replica, slug);
    expect(await command(replica, 'GET', key!)).toContain('"status":"active"');
    for (const began = performance.now(); performance.now() - began < 1_000; ) {
      const record = await redirector.get(slug);
      expect(record ?? revoked(slug)).toEqual(revoked(slug));
      if (record === undefined) await redirector.fill(revoked(slug));
    }
    await master.restart();
  });
});
