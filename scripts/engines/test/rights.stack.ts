import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { connectClickHouse, expectClickHouseSchema, prepareClickHouse } from '@waypost/adapter-clickhouse';
import { kafkaBus } from '@waypost/adapter-kafka';
import { preparedTopics, until } from '@waypost/adapter-kafka/under-test';
import { CLICKS } from '@waypost/domain';
import { LINK_API_SCHEMA } from '@waypost/link-api-schema';
import { asAdministrator, openDatabase } from '@waypost/postgres';
import { SCHEMAS } from '@waypost/prepare/adapters';
import { createLogger } from '@waypost/telemetry';
import {
  type Engine,
  makeRoles,
  type PostgresServer,
  startClickHouseFront,
  startKafka,
  startPostgresServer,
  startRedis,
} from '../index.ts';

const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-rights-'));
const passwordOf = (user: string) => `password of ${user}`.replaceAll(' ', '-');
const engines: Engine[] = [];
const started = <T extends Engine>(engine: T): T => {
  engines.push(engine);
  return engine;
};
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.stop()));
  fs.rmSync(dir, { recursive: true, force: true });
}, 60_000);

/** Calls the function that creates links with an empty list, for the account that the test creates. */
const CREATION = `SELECT create_links(
  owner => (SELECT id FROM accounts), made_at => now(), scan_generation => 'g',
  slugs => '{}', urls => '{}', statuses => '{}', threat_types => '{}', tags => '{}',
  titles => '{}', notes => '{}', ends => '{}', events => '{}', verdicts => '[]', trace => NULL,
  default_limit => 1, window_length => '1 hour', clock_skew => '1 minute', keep_endpoint => NULL, keep_key => NULL,
  keep_holder => NULL, keep_answer => NULL)`;

const AUDIT_NOTE = `INSERT INTO audit_log (via, action, subject, outcome, detail)
  VALUES ('operator', 'key.deleted', 'x', 'done', '')`;

describe('PostgreSQL', () => {
  let server: PostgresServer;
  const as = (user: string, password?: string) => ({
    host: '127.0.0.1',
    port: server.port,
    user,
    ...(password === undefined ? {} : { password }),
    database: 'waypost',
    poolSize: 1,
  });
  const query = (role: string, sql: string) =>
    asAdministrator(as(role, passwordOf(role)), 'waypost', async (client) => (await client.query(sql)).rows);

  beforeAll(async () => {
    server = started(await startPostgresServer({ dir: path.join(dir, 'postgres'), closed: true }));
    await makeRoles(server, passwordOf);
    const early = openDatabase({ ...as('waypost_api', passwordOf('waypost_api')), expect: LINK_API_SCHEMA });
    await expect(early).rejects.toThrow('the schema is missing');
    await (await openDatabase({ ...as('waypost_owner', passwordOf('waypost_owner')), migrate: SCHEMAS })).close();
    await query('waypost_owner', "INSERT INTO accounts (email, admin) VALUES ('a@example.com', false)");
  });

  test('requires a password from everybody, including its administrator', async () => {
    await expect(query('waypost', 'SELECT 1')).rejects.toThrow(/password/);
    await expect(openDatabase(as('waypost_api', 'wrong'))).rejects.toThrow(/password authentication failed/);
  });

  test.each([
    ['waypost_api', 'SELECT email FROM accounts'],
    ['waypost_api', 'DELETE FROM outbox'],
    ['waypost_api', CREATION],
    ['waypost_api', 'DELETE FROM webhooks; DELETE FROM webhook_deliveries'],
    ['waypost_api', AUDIT_NOTE],
    ['waypost_api', 'SELECT detail FROM audit_log'],
    ['waypost_api', 'DELETE FROM account_deletions'],
    ['waypost_api', "UPDATE links SET status = 'revoked', destination_url = '', version = version + 1"],
    ['waypost_api', 'SELECT FROM links FOR UPDATE; SELECT FROM accounts FOR UPDATE'],
    ['waypost_api', 'UPDATE accounts SET suspended_at = NULL; UPDATE api_keys SET last_used_at = now()'],
    ['waypost_api', "INSERT INTO accounts (email, admin) VALUES ('b@example.com', false)"],
    ['waypost_api', "DELETE FROM accounts WHERE email = 'b@example.com'"],
    ['waypost_redirector', 'SELECT slug, status, destination_url FROM links'],
    ['waypost_redirector', 'SELECT generation FROM cache_generation'],
    ['waypost_scanner', 'SELECT slug, destination_url, keys FROM scanner_links'],
    ['waypost_scanner', "INSERT INTO scanner_links (slug, destination_url, keys) VALUES ('x', 'y', '{}')"],
    ['waypost_scanner', 'DELETE FROM scanner_keys'],
    ['waypost_scanner', "SELECT note_feed('imported', 'a feed', '')"],
    ['waypost_scanner', 'UPDATE scanner_state SET version = version; DELETE FROM scanner_files'],
  ])('lets %s do: %s', async (role, sql) => {
    await query(role, sql);
  });

  test.each([
    ['waypost_api', 'DROP TABLE links'],
    ['waypost_api', 'CREATE TABLE other (n integer)'],
    ['waypost_api', 'DELETE FROM migrations'],
    ['waypost_api', "UPDATE audit_log SET detail = ''"],
    ['waypost_api', 'DELETE FROM links'],
    ['waypost_api', "UPDATE links SET slug = 'other'"],
    ['waypost_api', 'UPDATE links SET owner_id = gen_random_uuid()'],
    ['waypost_api', 'TRUNCATE links'],
    ['waypost_api', "UPDATE accounts SET email = 'x@example.org'"],
    ['waypost_api', "UPDATE api_keys SET scopes = '{admin}'"],
    ['waypost_api', "UPDATE link_verdicts SET outcome = 'clean'"],
    ['waypost_api', 'DELETE FROM cache_generation'],
    ['waypost_api', 'DELETE FROM audit_log'],
    ['waypost_api', 'ALTER TABLE audit_log DISABLE TRIGGER append_only'],
    ['waypost_redirector', 'SELECT detail FROM audit_log'],
    ['waypost_redirector', "SELECT note_feed('imported', 'a feed', '')"],
    ['waypost_scanner', AUDIT_NOTE],
    ['waypost_scanner', 'SELECT detail FROM audit_log'],
    ['waypost_redirector', CREATION],
    ['waypost_scanner', CREATION],
    ['waypost_redirector', 'SELECT email FROM accounts'],
    ['waypost_redirector', 'SELECT key_hash FROM api_keys'],
    ['waypost_redirector', 'SELECT tags FROM links'],
    ['waypost_redirector', 'BEGIN READ WRITE; UPDATE cache_generation SET generation = 2'],
    ['waypost_scanner', 'SELECT slug FROM links'],
    ['waypost_scanner', 'SELECT key FROM outbox'],
    ['waypost_scanner', 'DELETE FROM migrations'],
    ['waypost_api', 'SELECT slug FROM scanner_links'],
    ['waypost_api', 'SELECT state FROM scanner_state'],
    ['waypost_api', 'INSERT INTO scanner_keys (key, link_id) VALUES (1, 1)'],
    ['waypost_scanner', 'SELECT email FROM accounts'],
    ['waypost_scanner', 'SELECT secret FROM webhooks'],
    ['waypost_redirector', 'SELECT url FROM webhooks'],
    ['waypost_owner', "COPY migrations TO PROGRAM 'true'"],
  ])('does not let %s do: %s', async (role, sql) => {
    await expect(query(role, sql)).rejects.toThrow(/permission denied|must be owner/);
  });
});

describe('Kafka', () => {
  const USERS = ['waypost_owner', 'waypost_api', 'waypost_redirector', 'waypost_ingest'];
  let brokers: string[];
  const as = (username: string, password = passwordOf(username)) => ({
    brokers,
    sasl: { mechanism: 'plain' as const, username, password },
    prefix: 'team.',
  });
  const publishing = async (connection: Partial<ReturnType<typeof as>>, topic: string) => {
    const bus = kafkaBus({
      brokers,
      ...connection,
      clientId: 'test',
      logger: createLogger('test', 'error'),
      onFatal: () => undefined,
    });
    try {
      await bus.publishEncoded({ ...CLICKS, name: topic as 'clicks' }, [{ key: 'k', value: '{}' }]);
    } finally {
      await bus.stop();
    }
  };

  beforeAll(async () => {
    const users = Object.fromEntries(USERS.map((user) => [user, passwordOf(user)]));
    const kafka = started(await startKafka({ dir: path.join(dir, 'kafka'), users }));
    brokers = [`127.0.0.1:${kafka.port}`];
    await preparedTopics({ ...as('waypost_owner'), clientId: 'prepare', grants: true });
  }, 300_000);

  test('lets each user do what its service does, and no more', async () => {
    await until(() =>
      publishing(as('waypost_redirector'), 'clicks').then(
        () => true,
        () => false,
      ),
    ); // A broker learns of new grants with a delay.
    await publishing(as('waypost_api'), 'links');
    await publishing(as('waypost_ingest'), 'clicks.parked');
    for (const topic of ['links', 'verdicts'])
      await expect(publishing(as('waypost_redirector'), topic)).rejects.toThrow(/[Aa]uthoriz/);
    await expect(publishing(as('waypost_api'), 'verdicts')).rejects.toThrow(/[Aa]uthoriz/);
    await expect(publishing(as('waypost_redirector'), 'clicks.parked')).rejects.toThrow(/[Aa]uthoriz/);
  }, 60_000);

  test('lets analytics-ingest read clicks and park unreadable ones in its own group, and in no other', async () => {
    const bus = kafkaBus({
      ...as('waypost_ingest'),
      clientId: 'test',
      logger: createLogger('test', 'error'),
      onFatal: () => undefined,
    });
    try {
      const [allowed, other] = await Promise.all(
        ['analytics-ingest', 'link-api'].map((group) => bus.subscribe(CLICKS, group, async () => undefined)),
      );
      await publishing(as('waypost_redirector'), 'clicks');
      await until(() => allowed!.parked() > 0);
      expect(other!.parked()).toBe(0);
    } finally {
      await bus.stop();
    }
  }, 60_000);

  test('requires a password, at the port of its controller, too', async () => {
    await expect(publishing(as('waypost_api', 'wrong'), 'links')).rejects.toThrow(/[Aa]uthentication/);
    await expect(publishing({ prefix: 'team.' }, 'links')).rejects.toThrow();
    const properties = fs.readFileSync(path.join(dir, 'kafka/server.properties'), 'utf8');
    expect(properties).toContain('CONTROLLER:SASL_PLAINTEXT');
    expect(fs.statSync(path.join(dir, 'kafka/server.properties')).mode & 0o777).toBe(0o600);
  }, 60_000);
});

test('Redis requires a password, which no process list shows', async () => {
  const redis = started(await startRedis({ dir: path.join(dir, 'redis'), password: 'hunter2' }));
  const response = await new Promise<string>((resolve) => {
    const socket = net.connect(redis.port, '127.0.0.1', () => socket.write('CONFIG GET dir\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(String(data));
    });
  });
  expect(response).toMatch(/^-NOAUTH/);
  expect(fs.readFileSync(`/proc/${redis.pid}/cmdline`, 'utf8')).not.toContain('hunter2');
});

test('the ClickHouse front requires a user, and refuses requests from browser pages', async () => {
  const users = {
    waypost_owner: { password: 'o', may: 'all' },
    waypost_ingest: { password: 'i', may: 'insert' },
    waypost_api: { password: 'a', may: 'purge' },
  } as const;
  const front = started(await startClickHouseFront({ dir: path.join(dir, 'clickhouse'), users }));
  const url = `http://127.0.0.1:${front.port}`;
  const as = (username: string, password: string) => connectClickHouse({ url, username, password });
  await expect(expectClickHouseSchema(as('waypost_ingest', 'i'), 'waypost')).rejects.toThrow();
  await prepareClickHouse(as('waypost_owner', 'o'), 'waypost');
  await expectClickHouseSchema(as('waypost_ingest', 'i'), 'waypost');
  await as('waypost_ingest', 'i').command({ query: 'INSERT INTO waypost.migrations SELECT 1, now()' });
  await expect(
    as('waypost_api', 'a').command({ query: 'INSERT INTO waypost.migrations SELECT 1, now()' }),
  ).rejects.toThrow('privileges');
  await as('waypost_api', 'a').command({ query: "ALTER TABLE waypost.clicks DELETE WHERE slug = 'x'" });
  for (const query of ['DROP TABLE waypost.clicks', 'ALTER TABLE waypost.clicks DROP COLUMN slug'])
    await expect(as('waypost_api', 'a').command({ query })).rejects.toThrow('privileges');
  await expect(as('waypost_ingest', 'i').command({ query: 'DROP TABLE waypost.clicks' })).rejects.toThrow('privileges');
  await expect(as('waypost_owner', 'x').query({ query: 'SELECT 1' })).rejects.toThrow('Authentication');
  const authorization = `Basic ${btoa('waypost_owner:o')}`;
  const statusOf = (headers: Record<string, string>) =>
    fetch(`${url}/?query=SELECT%201`, { method: 'POST', headers }).then(({ status }) => status);
  expect(await statusOf({ authorization })).toBe(200);
  expect(await statusOf({})).toBe(403);
  expect(await statusOf({ authorization, origin: 'https://evil.example' })).toBe(403);
});
