/**
 * Tests that a revoke takes effect at once (libs/domain/decisions/0008-revoke-and-the-cache.md). Three redirectors, six
 * busy clients at each, and a link-api run on a real PostgreSQL and a real Redis, which has faults. No request that
 * begins after the answer of a revoke may be redirected. The last tests prove that the suite finds faults: they run it
 * on two wrong ways to revoke. MATRIX_ROWS=few leaves out the failovers of a Redis Cluster and of Sentinels.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { GENERATION_LIFETIME_MS } from '@waypost/adapter-redis';
import { redisUnderTest, severalRedisUnderTest } from '@waypost/adapter-redis/under-test';
import { DomainError, redirectRecord, revoked } from '@waypost/domain';
import { redisCli } from '@waypost/engines';
import { asking, NOON, newOwner, newSlug, storesOn } from '@waypost/link-api/test-stores';
import { postgresCacheGeneration, postgresLinkReader } from '@waypost/link-api-schema';
import type { CacheGeneration, LinkCache, LinkReader } from '@waypost/ports';
import { pause } from '@waypost/test-support';
import { connectTo, newDatabase } from '@waypost/test-support/database';
import { Redis } from 'ioredis';
import { SlugResolver } from '../../redirector/src/links/resolve-slug.ts';

const REPLICAS = 3;
const CLIENTS_PER_REPLICA = 6;
const REVOKES = 40;
/** All clients visit this many links in each round. */
const AT_ONCE = 4;
const LIFETIME_MS = 200;
const CLOSED_PORT = 1;
/** After the answer, a revoked link is watched for this time, to detect late redirects. */
const WATCH_MS = 450;

const redis = redisUnderTest();
const database = await newDatabase();
const connect = () => connectTo({ ...database, poolSize: 8 });
const stores = storesOn(await connect());
const databases = await Promise.all(Array.from({ length: REPLICAS }, connect));
const ownerId = await newOwner(stores, 1_000_000);

/** Resolves to whether a visitor of the slug is redirected. Rejects if the answer is 503. */
type Redirector = (slug: string) => Promise<boolean>;

interface Variant {
  readonly linkApi: () => LinkCache;
  readonly redirector: (reader: LinkReader, generation: CacheGeneration) => Redirector;
}

interface Outcome {
  readonly revokes: number;
  readonly staleRevokes: number;
  readonly requests: number;
  /** Requests with the answer 503, and for how long, from the first of a series to the next other answer. */
  readonly failed: number;
  readonly failedMs: number;
  /** How often the fault occurred. */
  readonly faults: number;
  readonly leastMs: number;
  readonly p50Ms: number;
  readonly maxMs: number;
}

const oursOn = (url: (user: 'link-api' | 'redirector') => string): Variant => ({
  linkApi: () =>
    redis().cache({
      url: url('link-api'),
      generation: postgresCacheGeneration(stores.db),
      lifetimeMs: LIFETIME_MS,
    }),
  redirector: (reader, { read, bump }) =>
    micro(
      redis().cache({ url: url('redirector'), generation: { read, bump }, lifetimeMs: LIFETIME_MS }),
      reader,
      LIFETIME_MS,
    ),
});
const OURS = oursOn(() => redis().url);

/** Answers as listener/redirect.ts does. */
function micro(cache: LinkCache, reader: LinkReader, lifetimeMs: number): Redirector {
  const resolve = new SlugResolver({ cache, reader, microCache: { lifetimeMs, size: 1_000 } });
  return async (slug) => {
    const inMemory = resolve.cached(slug);
    const resolved = inMemory === undefined ? await resolve.lookUp(slug) : inMemory;
    expect(resolved).not.toBeNull(); // a link that exists must never be a 404
    return resolved?.location !== undefined;
  };
}

interface Scenario {
  /** The milliseconds between a redirector's read of the store and its fill of the cache. */
  readonly slowFillMs?: number;
  readonly fault?: (isOver: () => boolean) => Promise<void>;
  readonly revokes?: number;
}

async function run(
  { linkApi, redirector }: Variant,
  { slowFillMs = 0, fault, revokes = REVOKES }: Scenario,
): Promise<Outcome> {
  const { links } = stores;
  const cache = linkApi();
  const replicas = databases.map((db) =>
    redirector(slowly(postgresLinkReader(db), slowFillMs), postgresCacheGeneration(db)),
  );
  const slugs = Array.from({ length: revokes }, () => newSlug('r'));
  for (let i = 0; i < slugs.length; i += 20) {
    await links.create(asking(ownerId, ...slugs.slice(i, i + 20).map((slug) => ({ slug }))), NOON);
  }
  let isOver = false;
  const faulty = fault?.(() => isOver);
  await pause(300); // by now the clients are connected and the fault occurs

  const took: number[] = [];
  let staleRevokes = 0;
  let requests = 0;
  let redirects = 0;
  let failed = 0;
  let failedMs = 0;
  faults = 0;
  try {
    for (let i = 0; i < slugs.length; i += AT_ONCE) {
      await Promise.all(slugs.slice(i, i + AT_ONCE).map(revokeUnderFire));
    }
  } finally {
    isOver = true;
    await faulty;
  }
  expect(redirects).toBeGreaterThan(REVOKES); // the links must have worked before their revoke
  took.sort((a, b) => a - b);
  const [leastMs, p50Ms, maxMs] = [took[0]!, took[took.length >> 1]!, took.at(-1)!].map(Math.round);
  return { revokes, staleRevokes, requests, failed, failedMs, faults, leastMs: leastMs!, p50Ms: p50Ms!, maxMs: maxMs! };

  async function revokeUnderFire(slug: string): Promise<void> {
    let revokedAt = Number.POSITIVE_INFINITY;
    let isWatched = true;
    let stale = 0;
    const clients = replicas.flatMap((replica) =>
      Array.from({ length: CLIENTS_PER_REPLICA }, async () => {
        let failedAt: number | undefined;
        while (isWatched) {
          const startedAt = performance.now();
          const isRedirect = await replica(slug).catch(refused);
          requests += 1;
          if (isRedirect === undefined) {
            failed += 1;
            failedAt ??= startedAt;
          } else if (failedAt !== undefined) {
            failedMs = Math.max(failedMs, performance.now() - failedAt);
            failedAt = undefined;
          }
          if (isRedirect && startedAt > revokedAt) stale += 1;
          else if (isRedirect) redirects += 1;
          await nextTurn();
        }
      }),
    );
    await pause(30 + Math.random() * 60);
    const startedAt = performance.now();
    const link = await links.update(slug, (current) => revoked(current, NOON));
    await cache.replace([redirectRecord(link!)]);
    revokedAt = performance.now();
    took.push(revokedAt - startedAt);
    await pause(WATCH_MS);
    isWatched = false;
    await Promise.all(clients);
    if (stale > 0) staleRevokes += 1;
  }
}

/** Of a visitor who gets 503. */
function refused(error: unknown): undefined {
  if (error instanceof DomainError && error.code === 'unavailable') return undefined;
  throw error;
}

function slowly(reader: LinkReader, mostMs: number): LinkReader {
  if (mostMs === 0) return reader;
  return {
    find: async (slug) => {
      const record = await reader.find(slug);
      await pause(Math.random() * mostMs);
      return record;
    },
  };
}

const flushing: Scenario['fault'] = async (isOver) => {
  while (!isOver()) {
    await pause(30 + Math.random() * 60);
    await redis().direct.flushall();
  }
};

const freezing: Scenario['fault'] = async (isOver) => {
  while (!isOver()) {
    redis().engine.pause();
    await pause(250);
    redis().engine.resume();
    await pause(100);
  }
};

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('it did not happen within 20 s');
    await pause(100);
  }
}

let faults = 0;

/** Repeats a fault until the revokes are over. */
const repeating =
  (fault: () => Promise<void>): NonNullable<Scenario['fault']> =>
  async (isOver) => {
    while (!isOver()) {
      await fault();
      faults += 1;
      await pause(300);
    }
  };

describe('no visitor is redirected once a revoke is answered', () => {
  afterEach(() => redis().engine.resume());
  const report = (name: string, { revokes, staleRevokes, requests, failed, failedMs, faults, ...outcome }: Outcome) =>
    console.info(
      `${name}: ${staleRevokes}/${revokes} stale, ${requests} requests, ${failed} of them 503, ` +
        `for ${(failedMs / 1_000).toFixed(1)} s at most, ${faults} faults, ` +
        `revokes in ${outcome.leastMs} to ${outcome.maxMs} ms, p50 ${outcome.p50Ms} ms`,
    );
  const cutOff = () =>
    redis().cache({
      url: `redis://127.0.0.1:${CLOSED_PORT}`,
      generation: postgresCacheGeneration(stores.db),
      lifetimeMs: LIFETIME_MS,
    });

  test.each<readonly [name: string, scenario: Scenario, variant?: Partial<Variant>]>([
    ['without faults', {}],
    ['slow fills', { slowFillMs: 120 }],
    ['FLUSHALL all the time', { fault: flushing }],
    ['FLUSHALL and slow fills', { fault: flushing, slowFillMs: 120 }],
    ['Redis frozen most of the time', { fault: freezing }],
    ['link-api cut off from Redis', {}, { linkApi: cutOff }],
    ['link-api cut off from Redis, slow fills', { slowFillMs: 120 }, { linkApi: cutOff }],
  ])(
    '%s',
    async (name, scenario, variant = {}) => {
      const outcome = await run({ ...OURS, ...variant }, scenario);
      report(name, outcome);
      expect(outcome.staleRevokes).toBe(0);
      // Only a revoke that cannot write to Redis also waits until no redirector trusts the generation.
      if (name === 'without faults') expect(outcome.leastMs).toBeLessThan(LIFETIME_MS + GENERATION_LIFETIME_MS);
    },
    120_000,
  );

  const failovers = process.env.MATRIX_ROWS === 'few' ? () => undefined : describe;
  failovers('on a Redis Cluster', () => {
    const user = 'on >secret ~* &* +@all';
    const cluster = severalRedisUnderTest('cluster', { 'user link-api': user, 'user redirector': user });
    const node = (i: number) => cluster().nodes[i]!;
    const ask = (i: number, ...command: string[]) => redisCli(node(i).port, command, 1_500);
    const masters = async () => {
      const roles = await Promise.all(
        cluster().nodes.map(async (_, i) => ((await ask(i, 'ROLE').catch(() => '')).startsWith('master') ? [i] : [])),
      );
      return roles.flat();
    };
    const untilHealthy = async () => {
      for (const one of cluster().nodes) one.resume();
      await eventually(async () => {
        const infos = await Promise.all(cluster().nodes.map((_, i) => ask(i, 'CLUSTER', 'INFO').catch(() => '')));
        return infos.every((info) => info.includes('cluster_state:ok')) && (await masters()).length === 3;
      });
    };
    afterEach(untilHealthy);

    test.each<readonly [name: string, scenario: Scenario]>([
      ['without faults', {}],
      ['a master is killed, and its replica promoted; it returns', { fault: repeating(killed) }],
      ['a master is frozen, and its replica promoted; it continues', { fault: repeating(frozen) }],
      ['a replica that lacks the last writes takes over', { fault: repeating(behind) }],
      ['slots move away and back', { fault: repeating(moved) }],
      ['a master is cut off from the redirectors', { fault: repeating(() => lockedOut('redirector')) }],
      ['a master is cut off from link-api', { fault: repeating(() => lockedOut('link-api')) }],
    ])(
      '%s',
      async (name, scenario) => {
        const outcome = await run(
          oursOn((user) => cluster().url.replace('//', `//${user}:secret@`)),
          scenario,
        );
        report(`Redis Cluster, ${name}`, outcome);
        expect(outcome.staleRevokes).toBe(0);
      },
      180_000,
    );

    async function killed(): Promise<void> {
      const [first] = await masters();
      await node(first!).kill();
      await eventually(async () => (await masters()).length === 3);
      await node(first!).restart();
    }

    async function frozen(): Promise<void> {
      const all = await masters();
      node(all[1]!).pause();
      await eventually(async () => (await masters()).length === 3);
      node(all[1]!).resume();
    }

    /** The master runs on while its replica takes its slots without asking. */
    async function behind(): Promise<void> {
      const [first] = await masters();
      let i = -1;
      await eventually(async () => {
        const port = (await ask(first!, 'ROLE')).split('\n')[3];
        i = cluster().nodes.findIndex((one) => one.port === Number(port));
        return i >= 0;
      });
      node(i).pause();
      await pause(1_000); // it misses the revokes of this second
      node(first!).pause();
      node(i).resume();
      await ask(i, 'CLUSTER', 'FAILOVER', 'TAKEOVER');
      await pause(300);
      node(first!).resume();
      await eventually(async () => (await masters()).length === 3);
    }

    async function moved(): Promise<void> {
      const [from, to] = await masters();
      const [fromId, toId] = await Promise.all([from!, to!].map((i) => ask(i, 'CLUSTER', 'MYID')));
      for (const [source, target] of [
        [fromId!, toId!],
        [toId!, fromId!],
      ] as const) {
        const ids = ['--cluster-from', source, '--cluster-to', target, '--cluster-slots', '300'];
        const { port } = node(from!);
        const address = `127.0.0.1:${port}`;
        const repair = () => redisCli(port, ['--cluster', 'fix', address]).catch(() => '');
        await eventually(() =>
          redisCli(port, ['--cluster', 'reshard', address, ...ids, '--cluster-yes']).then(
            () => true,
            () => repair().then(() => false),
          ),
        );
      }
    }

    /** Closes the connections of these processes and accepts no others. */
    async function lockedOut(user: string): Promise<void> {
      const [, , third] = await masters();
      await ask(third!, 'ACL', 'SETUSER', user, 'off');
      await ask(third!, 'CLIENT', 'KILL', 'USER', user);
      await pause(1_500);
      await ask(third!, 'ACL', 'SETUSER', user, 'on');
      await pause(1_500);
    }
  });

  failovers('on the master of Sentinels', () => {
    const sentinels = severalRedisUnderTest('sentinels');
    const isMaster = async (i: number) =>
      (await redisCli(sentinels().servers[i]!.port, ['ROLE'], 1_500).catch(() => '')).startsWith('master');
    const current = async () => ((await isMaster(0)) ? 0 : 1);
    afterEach(() => {
      for (const one of sentinels().servers) one.resume();
    });

    test.each<readonly [name: string, scenario: Scenario]>([
      ['the master is killed and returns', { fault: repeating(() => replaced('kill')), revokes: 120 }],
      ['the master is frozen and continues', { fault: repeating(() => replaced('pause')), revokes: 120 }],
    ])(
      '%s',
      async (name, scenario) => {
        const outcome = await run(
          oursOn(() => sentinels().url),
          scenario,
        );
        report(`Sentinels, ${name}`, outcome);
        expect(outcome.staleRevokes).toBe(0);
      },
      180_000,
    );

    async function replaced(how: 'kill' | 'pause'): Promise<void> {
      const before = await current();
      const old = sentinels().servers[before]!;
      await old[how]();
      await eventually(() => isMaster(1 - before));
      await pause(500);
      if (how === 'kill') await old.restart();
      else old.resume();
      await eventually(async () => !(await isMaster(before)));
    }
  });

  describe('the suite detects a wrong implementation', () => {
    const clients: Redis[] = [];
    afterEach(() => {
      for (const client of clients.splice(0)) client.disconnect();
    });

    /** Fills the cache on a miss and deletes on a change. A late fill with an old record therefore stays. */
    function cacheAside(): Variant {
      const client = new Redis(redis().url, { keyPrefix: 'aside:' });
      clients.push(client);
      const none = async () => undefined;
      return {
        linkApi: () => ({
          get: none,
          fill: async (record) => record,
          fillUnknown: async () => null,
          announce: none,
          put: none,
          replace: async (records) => {
            await client.del(...records.map(({ slug }) => slug));
          },
          watch: () => undefined,
        }),
        redirector: (reader) => async (slug) => {
          const cached = await client.get(slug);
          if (cached !== null) return cached === 'active';
          const { status } = (await reader.find(slug))!;
          await client.set(slug, status, 'EX', 86_400);
          return status === 'active';
        },
      };
    }

    test('that is a plain cache-aside with slow fills', async () => {
      const outcome = await run(cacheAside(), { slowFillMs: 120 });
      report('cache-aside (must fail)', outcome);
      expect(outcome.staleRevokes).toBeGreaterThan(0);
    }, 120_000);

    test('that has a micro-cache of five seconds, for which a revoke does not wait', async () => {
      const wrong: Variant = {
        linkApi: () => redis().cache({ generation: postgresCacheGeneration(stores.db), lifetimeMs: 0 }),
        redirector: (reader, generation) => micro(redis().cache({ generation }), reader, 5_000),
      };
      const outcome = await run(wrong, {});
      report('five-second micro-cache (must fail)', outcome);
      expect(outcome.staleRevokes).toBeGreaterThan(REVOKES / 2);
    }, 120_000);
  });
});
