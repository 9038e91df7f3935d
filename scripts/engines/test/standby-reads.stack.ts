/**
 * Tests a redirector that looks links up in a standby of PostgreSQL: it redirects as without it, and a standby that is
 * late never brings a revoked link back. Redis is flushed after each revoke, so that nothing else stops the link.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { redisLinkCache } from '@waypost/adapter-redis';
import { redirectRecord, revoked } from '@waypost/domain';
import { asking, NOON, newOwner, newSlug, storesOn } from '@waypost/link-api/test-stores';
import { postgresCacheGeneration, standbyLinkReader } from '@waypost/link-api-schema';
import { asAdministrator, openDatabase } from '@waypost/postgres';
import { SCHEMAS } from '@waypost/prepare/adapters';
import { createLogger } from '@waypost/telemetry';
import { pause, until } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { type Engine, makeRoles, type PostgresServer, redisCli, startPostgresServer, startRedis } from '../index.ts';
import { type RedirectorProcess, startRedirector } from './redirector-process.ts';

const passwordOf = (user: string) => `password-of-${user.replaceAll('_', '-')}`;
const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
}, 60_000);
const started = <T extends Engine>(engine: T): T => {
  stops.push(() => engine.stop());
  return engine;
};

let primary: PostgresServer;
let standby: PostgresServer;
let stores: ReturnType<typeof storesOn>;
let cache: ReturnType<typeof redisLinkCache>;
let redis: Engine;
let ownerId: string;
let reader: ReturnType<typeof standbyLinkReader>;
const questions = { primary: 0 };
let visit: RedirectorProcess['visit'];

const loginOf = (user: string) => ({ host: '127.0.0.1', user, password: passwordOf(user), database: 'waypost' });
async function query<T>({ socketDir: host, port }: PostgresServer, sql: string): Promise<T[]> {
  return asAdministrator({ host, port, user: 'waypost' }, 'waypost', async (client) => (await client.query(sql)).rows);
}

beforeAll(async () => {
  primary = started(await startPostgresServer({ dir: newFolder(), closed: true }));
  await makeRoles(primary, passwordOf);
  const migrated = { ...loginOf('waypost_owner'), port: primary.port, poolSize: 1, migrate: SCHEMAS };
  await (await openDatabase(migrated)).close();
  standby = started(await startPostgresServer({ dir: newFolder(), standbyOf: primary }));
  const db = await openDatabase({ ...loginOf('waypost_api'), port: primary.port, poolSize: 4 });
  stops.push(() => db.close());
  stores = storesOn(db);
  ownerId = await newOwner(stores, 1_000_000);
  const late = await openDatabase({ ...loginOf('waypost_redirector'), port: standby.port, poolSize: 8 });
  stops.push(() => late.close());
  const counted = () => {
    questions.primary += 1;
    return db;
  };
  reader = standbyLinkReader(counted, () => late);
  redis = started(await startRedis({ dir: newFolder() }));
  const url = `redis://127.0.0.1:${redis.port}`;
  cache = redisLinkCache({ url, generation: postgresCacheGeneration(db), logger: createLogger('test', 'error') });
  stops.push(() => cache.stop());
  const login = `postgres://waypost_redirector:${passwordOf('waypost_redirector')}@`;
  const redirector = await startRedirector({
    DATABASE_URL: `${login}127.0.0.1:${primary.port},127.0.0.1:${standby.port}/waypost?target_session_attrs=read-write`,
    DATABASE_READ_URL: `${login}127.0.0.1:${standby.port}/waypost`,
    REDIS_URL: url,
  });
  stops.push(redirector.stop);
  visit = redirector.visit;
}, 120_000);

async function createLinks(count: number): Promise<string[]> {
  const slugs = Array.from({ length: count }, () => newSlug('s'));
  for (let i = 0; i < count; i += 20)
    await stores.links.create(asking(ownerId, ...slugs.slice(i, i + 20).map((slug) => ({ slug }))), NOON);
  return slugs;
}
const visitAll = async (slugs: readonly string[]) => new Set(await Promise.all(slugs.map(visit)));
const flushRedis = async () => expect(await redisCli(redis.port, ['FLUSHALL'])).toBe('OK');
/** As link-api, with a Redis that then loses everything. */
async function revoke(slug: string): Promise<void> {
  const link = await stores.links.update(slug, (current) => revoked(current, NOON));
  await cache.replace([redirectRecord(link!)]);
  await flushRedis();
}
test('look-ups go to the standby, and those at the same time share one question to the primary', async () => {
  const slugs = await createLinks(40);
  questions.primary = 0;
  for (const slug of slugs) expect(await reader.find(slug)).toMatchObject({ slug, status: 'active' });
  // Each look-up asks the primary how far it is, and no more if the standby has that.
  expect(questions.primary).toBeLessThan(1.8 * slugs.length);
  // On a busy machine the standby may be late, and is then not asked for a while.
  await until(async () => {
    await pause(1_000);
    questions.primary = 0;
    const links = await Promise.all(slugs.map((slug) => reader.find(slug)));
    expect(links.map((link) => link?.slug)).toEqual(slugs);
    return questions.primary < slugs.length / 4;
  }, 60_000);
  expect(await reader.find(newSlug('s'))).toBeUndefined();
});

test('while the standby is late, no revoked link redirects and no new link is unknown', async () => {
  const slugs = await createLinks(40);
  await pause(100);
  await query(standby, 'SELECT pg_wal_replay_pause()');
  for (const slug of slugs.slice(0, 10)) await revoke(slug);
  const late = `SELECT DISTINCT status FROM links WHERE slug IN (${slugs.map((slug) => `'${slug}'`)})`;
  expect(await query(standby, late)).toEqual([{ status: 'active' }]);
  for (let round = 0; round < 5; round++) {
    expect(await visitAll(slugs.slice(0, 10))).toEqual(new Set([410]));
    expect(await visitAll(slugs.slice(10))).toEqual(new Set([302]));
    expect(await visitAll(await createLinks(10))).toEqual(new Set([302]));
    expect(await redisCli(redis.port, ['FLUSHALL'])).toBe('OK');
    await pause(300);
  }
  await query(standby, 'SELECT pg_wal_replay_resume()');
});

test('under load, with a standby that is late now and then, no visit after a revoke redirects', async () => {
  let running = true;
  const stutter = (async () => {
    while (running) {
      await query(standby, 'SELECT pg_wal_replay_pause()');
      await pause(300 + Math.random() * 500);
      await query(standby, 'SELECT pg_wal_replay_resume()');
      await pause(Math.random() * 200);
    }
  })();
  // Redis loses everything all the time, so that hardly a redirector learns of a revoke from there.
  const forget = (async () => {
    for (; running; await pause(5)) await flushRedis();
  })();
  const slugs = await createLinks(32);
  let [redirects, after, stale] = [0, 0, 0];
  const revokeUnderFire = async (slug: string) => {
    let [isWatched, isRevoked] = [true, false];
    const visitors = [1, 2, 3].map(async () => {
      while (isWatched) {
        const beganAfter = isRevoked;
        const isRedirect = (await visit(slug)) === 302;
        if (beganAfter) after += 1;
        if (isRedirect && beganAfter) stale += 1;
        else if (isRedirect) redirects += 1;
      }
    });
    await pause(50 + Math.random() * 100);
    await revoke(slug);
    isRevoked = true;
    await pause(400);
    isWatched = false;
    await Promise.all(visitors);
  };
  for (let i = 0; i < slugs.length; i += 4) await Promise.all(slugs.slice(i, i + 4).map(revokeUnderFire));
  running = false;
  await Promise.all([stutter, forget]);
  expect(redirects).toBeGreaterThan(slugs.length);
  expect({ stale, enough: after > 200 }).toEqual({ stale: 0, enough: true });
}, 120_000);

test('a standby that does not answer costs a visitor a moment, and its promotion nothing', async () => {
  const slugs = await createLinks(30);
  standby.pause();
  expect(await visitAll(slugs)).toEqual(new Set([302]));
  standby.resume();
  await primary.kill();
  await standby.promote();
  expect(await redisCli(redis.port, ['FLUSHALL'])).toBe('OK');
  const deadline = performance.now() + 10_000;
  while ((await visit(slugs[0]!)) !== 302 && performance.now() < deadline) await pause(100);
  expect(await visitAll(slugs)).toEqual(new Set([302]));
});
