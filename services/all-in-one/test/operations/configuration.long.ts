/** Tests the environment, the data folder, start and stop. src/config.test.ts tests each fault of a setting. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { listening } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { newWaypost, product } from '../product.ts';
import { ROOT } from '../programs.ts';
import { connectTo, DESTINATION, expectError, sendRaw, statusesIn, times, visit } from '../support.ts';
import { apiClient, testEnvironment } from '../waypost-process.ts';

const folder = newFolder();
const { waypost, api } = product({
  HOST: '0.0.0.0',
  BASE_URL: 'https://waypost.example.org',
  REDIRECT_BASE_URL: 'https://go.example.org',
  OWN_HOSTS: 'links.example.net',
  DESTINATION_HOSTS_ALLOWED: 'intranet,10.1.0.0/16',
  CREATIONS_PER_HOUR: '7',
});

async function refused(environment: NodeJS.ProcessEnv): Promise<string> {
  const message = await newWaypost(environment).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(message).toMatch(/^Waypost ended with 1: /);
  expect(message).not.toMatch(/^\s+at |^Ready$/m);
  return message.replace(/^[^:]*: /, '');
}

describe('a start is refused', () => {
  test('in a wrong environment, with one message that names every fault, and without a new folder', async () => {
    const wrong = {
      HOST: 'not a host',
      PORT: '0',
      REDIRECT_PORT: '65536',
      INTERNAL_PORT: 'x',
      BASE_URL: 'ftp://example.org',
      REDIRECT_BASE_URL: 'example.org',
      CREATIONS_PER_HOUR: '-1',
      TRUSTED_PROXIES: '10.0.0.0/33',
      REDIRECT_WORKERS: '0',
      DESTINATION_HOSTS_ALLOWED: 'a b',
      OWN_HOSTS: 'https://x/',
      FEEDS: '/nowhere/feeds.json',
      LOG_LEVEL: 'loud',
    };
    const DATA_DIR = path.join(folder, 'never');
    const message = await refused({ ...wrong, DATA_DIR });
    for (const name of Object.keys(wrong)) expect(message).toMatch(new RegExp(`^ *${name}\\b`, 'm'));
    expect(fs.existsSync(DATA_DIR)).toBe(false);
  });

  test('with a port that is in use, and the message names it', async () => {
    const server = net.createServer();
    const port = String(await listening(server));
    const message = await refused({ REDIRECT_PORT: port, DATA_DIR: path.join(folder, 'taken') });
    server.close();
    expect(message).toContain(port);
  });

  test('on data folders that cannot be, and the message names them', async () => {
    const { dataDir } = waypost;
    const file = path.join(dataDir, 'secrets.json');
    expect(await refused({ DATA_DIR: file, BACKUP_DIR: path.join(file, 'x') })).toMatch(
      /DATA_DIR is a file, not a folder .*\n {2}BACKUP_DIR is below \S+, which is a file, not a folder /,
    );
    expect(await refused({ DATA_DIR: folder })).toMatch(/^DATA_DIR is \S+, which contains other files \(/);
  });

  test('on a folder that is in use, and the message names it', async () => {
    const { dataDir } = waypost;
    expect(await refused({ DATA_DIR: dataDir })).toMatch(`${dataDir} is in use`);
    expect((await visit(waypost.api, '/readyz')).status).toBe(200);
  });
});

describe('the environment decides', () => {
  test('on the base URL of short links, the quota, and the refused and allowed hosts', async () => {
    const create = (destination_url: string) => api('POST', '/api/v1/links', { destination_url });
    const created = await create('http://intranet/wiki');
    expect(created.status).toBe(201);
    expect(created.body.short_url).toBe(`https://go.example.org/${created.body.link.slug}`);
    expect(created.headers.get('x-ratelimit-limit')).toBe('7');
    expect((await create('http://10.1.2.3/')).status).toBe(201);
    expect((await visit(waypost.redirect, `/${created.body.link.slug}`)).headers.location).toBe('http://intranet/wiki');
    expect((await create('https://shop.go.example.org/spring')).status).toBe(201);
    for (const host of ['waypost.example.org', 'GO.example.org.', 'b.links.example.net', '10.2.0.1', 'extranet'])
      expectError(await create(`https://${host}/x`), 400, ['destination_url']);
  });

  test('that the internal port is on loopback even if the public ports are not', async () => {
    const outside = Object.values(os.networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
    const at = (base: string) => base.replace('127.0.0.1', outside ?? '127.0.0.2');
    expect((await visit(at(waypost.api), '/healthz')).status).toBe(200);
    await expect(visit(at(waypost.internal), '/metrics')).rejects.toThrow(/ECONNREFUSED/);
    expect(statusesIn(await sendRaw(at(waypost.redirect), 'GET /healthz HTTP/1.0\r\n\r\n'))).toEqual([200]);
  });
});

test('a stop with open connections ends within 10 s, and nothing is lost, even after a kill', async () => {
  const file = path.join(waypost.dataDir, 'secrets.json');
  const secrets = fs.readFileSync(file, 'utf8');
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  const own = apiClient(waypost.api, (await waypost.newKey('read,write', { limit: 50 })).key);
  const create = (headers = {}) => own('POST', '/api/v1/links', { destination_url: DESTINATION }, headers);
  const once = { 'Idempotency-Key': 'before' };
  const created = await create(once);

  const idle = [waypost.api, waypost.redirect].map(connectTo);
  for (const socket of idle) socket.write('GET / HTTP/1.1\r\n');
  await visit(waypost.api, '/healthz');
  const begin = performance.now();
  // What each signal does is in libs/process/test/stop.test.ts, and npm sends SIGTERM below.
  process.kill(waypost.pid, 'SIGINT');
  expect(await waypost.stop()).toBe(0);
  expect(performance.now() - begin).toBeLessThan(10_000);
  for (const socket of idle) socket.destroy();
  await expect(fetch(waypost.api)).rejects.toThrow();
  await waypost.restart();
  expect(fs.readFileSync(file, 'utf8')).toBe(secrets);
  expect(waypost.output().match(/Create the first account here/g)).toHaveLength(1);
  const replayed = await create(once);
  expect([replayed.headers.get('idempotency-replayed'), replayed.body]).toEqual(['true', created.body]);
  expect((await own('GET', '/api/v1/links')).body.data).toEqual([created.body.link]);
  const next = await create();
  expect([next.headers.get('x-ratelimit-limit'), next.headers.get('x-ratelimit-used')]).toEqual(['50', '2']);
  const resets = [created, next].map((answer) => Number(answer.headers.get('x-ratelimit-reset')));
  expect(Math.abs(resets[0]! - resets[1]!)).toBeLessThanOrEqual(1);
  expect((await visit(waypost.redirect, `/${created.body.link.slug}`)).status).toBe(302);

  const answered = await Promise.all(times(30, () => create()));
  await waypost.kill();
  await waypost.restart();
  for (const { body } of answered)
    expect((await own('GET', `/api/v1/links/${body.link.slug}`)).body).toEqual(body.link);
}, 60_000);

test('npm start prints its addresses and Ready, and a SIGTERM to npm alone stops everything within 10 s', async () => {
  const environment = await testEnvironment();
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: {
      ...environment,
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      DATA_DIR: path.join(folder, 'npm'),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // After a change of the lockfile, the first start installs packages, which takes a while.
  let stdout = '';
  await new Promise<void>((resolve, reject) => {
    npm.once('exit', (code) => reject(new Error(`npm ended with ${code}: ${stdout}`)));
    npm.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.endsWith('\nReady\n')) resolve();
    });
  });
  for (const port of [environment.PORT, environment.REDIRECT_PORT])
    expect(stdout).toContain(`http://localhost:${port}`);
  const api = `http://127.0.0.1:${environment.PORT}`;
  expect((await visit(api, '/readyz')).status).toBe(200);
  const begin = performance.now();
  const exited = new Promise((resolve) => npm.removeAllListeners('exit').once('exit', resolve));
  npm.kill('SIGTERM');
  await exited;
  await expect(visit(api, '/healthz')).rejects.toThrow(/ECONNREFUSED/);
  expect(performance.now() - begin).toBeLessThan(10_000);
}, 300_000);
