/**
 * Tests a redirector that reaches PostgreSQL through PgBouncer in transaction mode: redirects, revokes and time limits
 * as without it. A process that needs a session of its own is told so.
 */
import fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { redisLinkCache } from '@waypost/adapter-redis';
import { redirectRecord, revoked } from '@waypost/domain';
import { asking, NOON, newOwner, newSlug, storesOn } from '@waypost/link-api/test-stores';
import { postgresCacheGeneration, postgresLinkReader } from '@waypost/link-api-schema';
import { asAdministrator, openDatabase } from '@waypost/postgres';
import { SCHEMAS } from '@waypost/prepare/adapters';
import { createLogger } from '@waypost/telemetry';
import { newFolder } from '@waypost/test-support/afterwards';
import {
  type Engine,
  makeRoles,
  type PostgresServer,
  startPgBouncer,
  startPostgresServer,
  startRedis,
} from '../index.ts';
import { startRedirector } from './redirector-process.ts';

const passwordOf = (user: string) => `password-of-${user.replaceAll('_', '-')}`;
const users = Object.fromEntries(
  ['waypost_owner', 'waypost_api', 'waypost_redirector'].map((user) => [user, passwordOf(user)]),
);
const stops: (() => unknown)[] = [];
const started = <T extends Engine>(engine: T): T => {
  stops.push(() => engine.stop());
  return engine;
};
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
}, 60_000);

let server: PostgresServer;
let stores: ReturnType<typeof storesOn>;
let ownerId: string;

const address = (user: string, port: number) => ({
  host: '127.0.0.1',
  port,
  user,
  password: passwordOf(user),
  database: 'waypost',
  poolSize: 8,
});

async function opened(user: string, port: number, mayBePooled = false) {
  const db = await openDatabase({ ...address(user, port), mayBePooled });
  stops.push(() => db.close());
  return db;
}

const administrator = <T>(work: Parameters<typeof asAdministrator<T>>[2]) =>
  asAdministrator({ host: server.socketDir, port: server.port, user: 'waypost' }, 'waypost', work);

async function createLinks(count: number): Promise<string[]> {
  const slugs = Array.from({ length: count }, () => newSlug('p'));
  await stores.links.create(asking(ownerId, ...slugs.map((slug) => ({ slug }))), NOON);
  return slugs;
}

beforeAll(async () => {
  server = started(await startPostgresServer({ dir: newFolder(), closed: true }));
  await makeRoles(server, passwordOf);
  await (await openDatabase({ ...address('waypost_owner', server.port), migrate: SCHEMAS })).close();
  stores = storesOn(await opened('waypost_api', server.port));
  ownerId = await newOwner(stores, 1_000);
}, 120_000);

describe.each([
  ['as its package configures it', {}],
  [
    'that ignores what it does not know',
    { ignore_startup_parameters: 'statement_timeout,idle_in_transaction_session_timeout' },
  ],
])('PgBouncer %s', (_, settings) => {
  let port: number;
  beforeAll(async () => {
    ({ port } = started(await startPgBouncer({ dir: newFolder(), target: server.port, users, settings })));
  });

  test('gives a redirector every link, whichever session reads it, and no link after its revoke', async () => {
    const readers = [
      await opened('waypost_redirector', port, true),
      await opened('waypost_redirector', port, true),
    ].map(postgresLinkReader);
    const slugs = await createLinks(80);
    const read = () => Promise.all(slugs.map(async (slug, i) => (await readers[i % 2]!.find(slug))?.status));
    expect(new Set(await read())).toEqual(new Set(['active']));
    for (const slug of slugs) await stores.links.update(slug, (current) => revoked(current, NOON));
    expect(new Set(await read())).toEqual(new Set(['revoked']));
  });

  test('lets PostgreSQL stop a read that waits for too long', async () => {
    const db = await opened('waypost_redirector', port, true);
    const [slug] = await createLinks(1);
    await administrator(async (client) => {
      await client.query('BEGIN; LOCK TABLE links IN ACCESS EXCLUSIVE MODE');
      const error = await postgresLinkReader(db)
        .find(slug!)
        .catch((cause: unknown) => cause);
      expect(error).toMatchObject({ code: 'unavailable', cause: { code: '57014' } });
      await client.query('ROLLBACK');
    });
    expect(await postgresLinkReader(db).find(slug!)).toMatchObject({ slug });
  });

  test('is refused to a redirector whose role has no time limit', async () => {
    await administrator((client) => client.query('ALTER ROLE waypost_redirector RESET statement_timeout'));
    const other = started(await startPgBouncer({ dir: newFolder(), target: server.port, users, settings }));
    await expect(opened('waypost_redirector', other.port, true)).rejects.toThrow(
      "ALTER ROLE waypost_redirector SET statement_timeout = '1750ms'",
    );
    await administrator((client) => client.query("ALTER ROLE waypost_redirector SET statement_timeout = '1750ms'"));
    await opened('waypost_redirector', server.port, true);
  });

  test('is refused to a process that needs a session of its own', async () => {
    await expect(opened('waypost_api', port)).rejects.toThrow('which only redirectors can use');
    const migrated = openDatabase({ ...address('waypost_owner', port), migrate: SCHEMAS });
    await expect(migrated).rejects.toThrow('which only redirectors can use');
  });

  test('stands between PostgreSQL and a redirector process, which redirects, and stops at a revoke', async () => {
    const redis = started(await startRedis({ dir: newFolder() }));
    const redirector = await startRedirector({
      DATABASE_URL: `postgres://waypost_redirector:${passwordOf('waypost_redirector')}@127.0.0.1:${port}/waypost`,
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    });
    stops.push(redirector.stop);
    const slugs = await createLinks(40);
    expect(new Set(await Promise.all(slugs.map(redirector.visit)))).toEqual(new Set([302]));

    const cache = redisLinkCache({
      url: `redis://127.0.0.1:${redis.port}`,
      generation: postgresCacheGeneration(stores.db),
      logger: createLogger('test', 'error'),
    });
    stops.push(() => cache.stop());
    for (const slug of slugs) {
      const link = await stores.links.update(slug, (current) => revoked(current, NOON));
      await cache.replace([redirectRecord(link!)]);
    }
    expect(new Set(await Promise.all(slugs.map(redirector.visit)))).toEqual(new Set([410]));
    expect(fs.readFileSync(redirector.logFile, 'utf8')).not.toMatch(/prepared statement|startup parameter/);
  });
});
