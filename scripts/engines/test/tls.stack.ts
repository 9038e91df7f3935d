/**
 * Tests every engine over TLS, with the settings that the services ship with. Separate processes create, visit and
 * count a link, while proxies record each connection. Each engine's client must report a wrong authority, host name or
 * password.
 */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clickHouseAddress, clickHouseHealth, connectClickHouse } from '@waypost/adapter-clickhouse';
import { kafkaBus } from '@waypost/adapter-kafka';
import { redisLinkCache } from '@waypost/adapter-redis';
import { memoryGeneration } from '@waypost/adapter-redis/under-test';

import { OPERATOR } from '@waypost/domain';
import { postgresLinkApiStores } from '@waypost/link-api';
import { databaseAddress, openDatabase } from '@waypost/postgres';
import { createLogger } from '@waypost/telemetry';
import { until } from '@waypost/test-support';
import { active } from '../../../libs/contracts/src/records.ts';
import { createAccount } from '../../../services/link-api/src/accounts/accounts.ts';
import { createApiKey } from '../../../services/link-api/src/keys/create.ts';
import {
  type Engine,
  freePort,
  makeRoles,
  type ProcessRun,
  startClickHouseFront,
  startKafka,
  startPostgresServer,
  startProgram,
  startRedis,
  startRedisCluster,
} from '../index.ts';
import { type Certificates, makeCertificates } from './certificates.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-tls-'));
const inDir = (name: string) => path.join(dir, name);
const passwordOf = (user: string) => `secret-of-${user.replaceAll('_', '-')}`;
const SLUG = 'overthewire';
const stops: (() => Promise<unknown> | unknown)[] = [];
let files: Certificates;
let postgresSocket: { readonly dir: string; readonly port: number };
let wires: Record<'postgres' | 'redis' | 'kafka' | 'clickhouse', Wire>;

afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
  fs.rmSync(dir, { recursive: true, force: true });
}, 120_000);

interface Wire {
  readonly port: number;
  /** Returns all bytes that went through, in both directions, as latin1. */
  recorded(): string;
}

async function wireTo(target: number): Promise<Wire> {
  const chunks: Buffer[] = [];
  const server = net.createServer((client) => {
    const engine = net.connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, engine],
      [engine, client],
    ] as const) {
      from.on('data', (chunk) => chunks.push(chunk));
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return { port: (server.address() as net.AddressInfo).port, recorded: () => Buffer.concat(chunks).toString('latin1') };
}

/** Listens with TLS in front of an engine that has no TLS. Resolves to the port. */
async function terminator(target: number): Promise<number> {
  const server = tls.createServer({ cert: fs.readFileSync(files.cert), key: fs.readFileSync(files.key) }, (client) => {
    const engine = net.connect(target, '127.0.0.1');
    client.on('error', () => engine.destroy());
    engine.on('error', () => client.destroy());
    client.pipe(engine).pipe(client);
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  return (server.address() as net.AddressInfo).port;
}

const USERS = {
  prepare: 'waypost_owner',
  'link-api': 'waypost_api',
  redirector: 'waypost_redirector',
  scanner: 'waypost_scanner',
  'analytics-ingest': 'waypost_ingest',
} as const;

beforeAll(async () => {
  files = makeCertificates(dir);
  const kafkaPort = await freePort();
  const kafkaWire = await wireTo(kafkaPort); // Clients of Kafka connect to the address that the broker advertises.
  const started = <T extends Engine>(engine: T): T => {
    stops.push(() => engine.stop());
    return engine;
  };
  const users = Object.fromEntries(Object.values(USERS).map((user) => [user, passwordOf(user)]));
  const everything = Object.fromEntries(
    Object.entries(users).map(([user, password]) => [user, { password, may: 'all' as const }]),
  );
  const [postgres, redis, , clickhouse] = await Promise.all([
    startPostgresServer({ dir: inDir('postgres'), closed: true, tls: files }).then(started),
    startRedis({ dir: inDir('redis'), password: passwordOf('redis'), tls: files }).then(started),
    startKafka({
      dir: inDir('kafka'),
      port: kafkaPort,
      users,
      scram: true,
      tls: files,
      settings: { 'advertised.listeners': `CLIENTS://localhost:${kafkaWire.port}` },
    }).then(started),
    startClickHouseFront({ dir: inDir('clickhouse'), users: everything }).then(started),
  ]);
  await makeRoles(postgres, passwordOf);
  postgresSocket = { dir: postgres.socketDir, port: postgres.port };
  wires = {
    postgres: await wireTo(postgres.port),
    redis: await wireTo(redis.port),
    kafka: kafkaWire,
    clickhouse: await wireTo(await terminator(clickhouse.port)),
  };
}, 300_000);

/** Returns the settings as an operator writes them, with secrets in files. */
function settings(process: keyof typeof USERS): Record<string, string> {
  const user = USERS[process];
  const secret = (name: string, value: string) => {
    const file = inDir(`${process}.${name}`);
    fs.writeFileSync(file, `${value}\n`, { mode: 0o600 });
    return { [`${name}_FILE`]: file };
  };
  const verified = `sslmode=verify-full&sslrootcert=${files.ca}`;
  return {
    ...secret(
      'DATABASE_URL',
      `postgres://${user}:${passwordOf(user)}@localhost:${wires.postgres.port}/waypost?${verified}`,
    ),
    ...secret('REDIS_URL', `rediss://:${passwordOf('redis')}@localhost:${wires.redis.port}`),
    REDIS_CA_FILE: files.ca,
    KAFKA_BROKERS: `localhost:${wires.kafka.port}`,
    KAFKA_TLS: 'on',
    KAFKA_CA_FILE: files.ca,
    KAFKA_SASL_MECHANISM:
      process === 'scanner' ? 'SCRAM-SHA-256' : process === 'redirector' ? 'PLAIN' : 'SCRAM-SHA-512',
    KAFKA_SASL_USERNAME: user,
    ...secret('KAFKA_SASL_PASSWORD', passwordOf(user)),
    KAFKA_ACLS: 'services',
    KAFKA_TOPIC_PREFIX: 'team-a.',
    ...secret('CLICKHOUSE_URL', `https://${user}:${passwordOf(user)}@localhost:${wires.clickhouse.port}/waypost`),
    CLICKHOUSE_CA_FILE: files.ca,
    ...secret('VISITOR_SECRET', `${'ab'.repeat(32)},${'cd'.repeat(32)}`),
  };
}

async function eventually<T>(look: () => Promise<T>, isRight: (value: T) => boolean, withinMs = 60_000): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const value = await look();
    if (isRight(value) || performance.now() > end) return value;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

test('a link is created, visited and counted, and none of it is readable in transit', async () => {
  const [api, apiInternal, redirect, redirectInternal, scanner, ingest] = (await Promise.all(
    Array.from({ length: 6 }, freePort),
  )) as [number, number, number, number, number, number];
  const common = {
    PATH: process.env.PATH ?? '',
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    BASE_URL: `http://localhost:${api}`,
    REDIRECT_BASE_URL: `http://localhost:${redirect}`,
    CONTACT: 'mailto:us@example.org',
    SCANNER_URL: `http://127.0.0.1:${scanner}`,
  };
  const main = (service: string) => fileURLToPath(import.meta.resolve(`@waypost/${service}/main`));
  await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', main('prepare')], {
    env: { ...common, ...settings('prepare') },
    timeout: 40_000,
  });
  const start = async (
    service: Exclude<keyof typeof USERS, 'prepare'>,
    health: number,
    extra: Record<string, string>,
  ) => {
    const run: ProcessRun = await startProgram({
      name: service,
      command: process.execPath,
      args: ['--disable-warning=ExperimentalWarning', main(service)],
      env: { ...common, ...settings(service), ...extra },
      logFile: inDir(`${service}.log`),
      isReady: async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok,
      readyWithinMs: 60_000,
    });
    stops.push(async () => {
      run.end();
      await run.exited;
    });
  };
  const operator = { OPERATOR_SOCKET: inDir('operator.sock') };
  await start('scanner', scanner, {
    PORT: `${scanner}`,
    DATA_DIR: inDir('threats'),
    FEEDS: 'none',
    OPERATOR_SOCKET: 'none',
  });
  await Promise.all([
    start('link-api', api, { PORT: `${api}`, INTERNAL_PORT: `${apiInternal}`, ...operator }),
    start('redirector', redirect, {
      PORT: `${redirect}`,
      INTERNAL_PORT: `${redirectInternal}`,
      CLICK_LOG_DIR: inDir('clicks'),
    }),
    start('analytics-ingest', ingest, { PORT: `${ingest}` }),
  ]);

  const url = fs.readFileSync(settings('link-api').DATABASE_URL_FILE!, 'utf8').trim();
  const db = await openDatabase({ ...databaseAddress(url), poolSize: 1 });
  stops.push(() => db.close());
  const stores = postgresLinkApiStores(db, { creationsPerHour: 300 }, () => undefined);
  const deps = { ...stores, baseUrl: '', now: () => new Date() };
  const { id } = await createAccount(deps, { email: 'wire@example.org', admin: false }, OPERATOR);
  const { key } = await createApiKey(deps, id, { name: 'tls', scopes: ['read', 'write'] }, OPERATOR);
  const authorization = `Bearer ${key}`;
  const links = `http://127.0.0.1:${api}/api/v1/links`;
  const created = await fetch(links, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ destination_url: 'https://www.wikipedia.org/wiki/Wire', custom_slug: SLUG }),
  });
  expect(created.status).toBe(201);
  const visited = await fetch(`http://127.0.0.1:${redirect}/${SLUG}`, { redirect: 'manual' });
  expect([visited.status, visited.headers.get('location')]).toEqual([302, 'https://www.wikipedia.org/wiki/Wire']);
  const clicks = async () => {
    const answer = await fetch(`${links}/${SLUG}/analytics`, { headers: { authorization } });
    return ((await answer.json()) as { total_clicks?: number }).total_clicks;
  };
  expect(await eventually(clicks, (count) => count === 1)).toBe(1);

  const readable = [
    SLUG,
    'wikipedia',
    'SELECT',
    'INSERT',
    'secret-of',
    'waypost_',
    'team-a',
    'clicks',
    'analytics-ingest',
  ];
  for (const [engine, wire] of Object.entries(wires)) {
    const bytes = wire.recorded();
    expect(bytes.length).toBeGreaterThan(2_000);
    expect([engine, readable.filter((word) => bytes.includes(word))]).toEqual([engine, []]);
  }
}, 180_000);

/** This test shows that the recording would contain plain text. */
test('without TLS the first packet names the user, and PostgreSQL refuses to go on', async () => {
  const wire = await wireTo(wires.postgres.port);
  const url = `postgres://waypost_api:${passwordOf('waypost_api')}@localhost:${wire.port}/waypost?sslmode=disable`;
  await expect(openDatabase({ ...databaseAddress(url), poolSize: 1 })).rejects.toThrow(
    /no pg_hba.conf entry.*no encryption/,
  );
  expect(wire.recorded()).toContain('waypost_api');
});

test.each([
  ['require, without an authority: any server', () => 'sslmode=require', true],
  ['require, with an authority: its certificates', () => `sslmode=require&sslrootcert=${files.ca}`, true],
  ['require, with another authority', () => `sslmode=require&sslrootcert=${files.otherCa}`, false],
  ['verify-ca: its certificates, whatever the name', () => `sslmode=verify-ca&sslrootcert=${files.ca}`, true],
  ['verify-ca, with another authority', () => `sslmode=verify-ca&sslrootcert=${files.otherCa}`, false],
  ['verify-full, by another name', () => `sslmode=verify-full&sslrootcert=${files.ca}`, false],
])('sslmode means what it means to libpq: %s', async (_, parameters, opens) => {
  const login = `waypost_api:${passwordOf('waypost_api')}`;
  const url = `postgres://${login}@127.0.0.1:${wires.postgres.port}/waypost?${parameters()}`;
  const opened = openDatabase({ ...databaseAddress(url), poolSize: 1 }).then(
    (db) => db.close().then(() => true),
    () => false,
  );
  expect(await opened).toBe(opens);
});

test('a unix socket may be an address, too', async () => {
  const url = `postgres://waypost@/waypost?host=${encodeURIComponent(postgresSocket.dir)}&port=${postgresSocket.port}`;
  const db = await openDatabase({ ...databaseAddress(url), poolSize: 1 });
  await db.close();
});

test('a Redis Cluster over TLS', async () => {
  const options = { dir: inDir('redis-cluster'), password: 'secret', tls: files };
  const { url, stop } = await startRedisCluster(options);
  stops.push(stop);
  const ca = fs.readFileSync(files.ca, 'utf8');
  const cache = redisLinkCache({ url, ca, generation: memoryGeneration(), logger: createLogger('test', 'error') });
  stops.push(() => cache.stop());
  const links = Array.from({ length: 20 }, (_, i) => active(`of-the-cluster-${i}`));
  await until(async () => {
    await cache.put(links);
    const records = await Promise.all(links.map(({ slug }) => cache.get(slug)));
    return records.every((record) => record !== undefined);
  }, 20_000);
}, 60_000);

const WRONG = {
  authority: {
    host: 'localhost',
    ca: () => files.otherCa,
    password: passwordOf,
    says: /self-signed certificate|unable to (verify|get)/,
  },
  name: {
    host: '127.0.0.1',
    ca: () => files.ca,
    password: passwordOf,
    says: /does not match certificate's altnames|IP: 127\.0\.0\.1 is not in the cert/,
  },
  password: {
    host: 'localhost',
    ca: () => files.ca,
    password: () => 'wrong',
    says: /password|[Aa]uthentication|WRONGPASS/,
  },
} as const;

describe.each(Object.entries(WRONG))('a wrong %s is refused and reported', (_, { host, ca, password, says }) => {
  const logger = createLogger('test', 'error');
  test('by PostgreSQL', async () => {
    const url = `postgres://waypost_api:${password('waypost_api')}@${host}:${wires.postgres.port}/waypost?sslmode=verify-full&sslrootcert=${ca()}`;
    await expect(openDatabase({ ...databaseAddress(url), poolSize: 1 })).rejects.toThrow(says);
  });

  test('by Redis', async () => {
    const errors: string[] = [];
    const cache = redisLinkCache({
      url: `rediss://:${password('redis')}@${host}:${wires.redis.port}`,
      ca: fs.readFileSync(ca(), 'utf8'),
      generation: { read: async () => ({ generation: 1, servers: {} }), bump: async () => undefined },
      lifetimeMs: 200,
      logger: {
        ...logger,
        warn: (_: string, fields?: { error?: string }) => void errors.push(fields?.error ?? ''),
      } as never,
    });
    await eventually(
      async () => errors.length,
      (count) => count > 0,
      5_000,
    );
    expect((await cache.health()).ok).toBe(false);
    await cache.stop();
    expect(errors[0]).toMatch(says);
  });

  test('by Kafka', async () => {
    const bus = kafkaBus({
      brokers: [`${host}:${wires.kafka.port}`],
      tls: { ca: fs.readFileSync(ca(), 'utf8') },
      sasl: { mechanism: 'scram-sha-512', username: 'waypost_api', password: password('waypost_api') },
      prefix: 'team-a.',
      clientId: 'test',
      logger,
      onFatal: () => undefined,
    });
    const { ok, detail } = await bus.health();
    await bus.stop();
    expect([ok, detail]).toEqual([false, expect.stringMatching(says)]);
  }, 30_000);

  test('by ClickHouse', async () => {
    const { database: _database, ...server } = clickHouseAddress(
      `https://waypost_api:${password('waypost_api')}@${host}:${wires.clickhouse.port}/waypost`,
    );
    const client = connectClickHouse({ ...server, ca: fs.readFileSync(ca(), 'utf8') });
    const { ok, detail } = await clickHouseHealth(client);
    await client.close();
    expect([ok, detail]).toEqual([false, expect.stringMatching(says)]);
  });
});
