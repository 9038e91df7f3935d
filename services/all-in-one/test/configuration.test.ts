/** The environment, the data folder, start and stop. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { listening } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { newWaypost } from './product.ts';
import { ROOT } from './programs.ts';
import { connectTo, DESTINATION, expectError, sendRaw, statusesIn, times, visit } from './support.ts';
import { apiClient, freePorts } from './waypost-process.ts';

const folder = newFolder();

/** The message of a start that must fail; it leaves its folder alone. */
async function refused(environment: NodeJS.ProcessEnv): Promise<string> {
  const DATA_DIR = environment.DATA_DIR ?? path.join(folder, 'never');
  const message = await newWaypost({ ...environment, DATA_DIR }).then(
    () => 'it started',
    (error: Error) => error.message,
  );
  expect(message).toMatch(/^Waypost ended with 1: /);
  expect(message).not.toMatch(/^\s+at /m);
  expect(message).not.toMatch(/^Ready$/m);
  return message.replace(/^[^:]*: /, '');
}

describe('a wrong environment', () => {
  const WRONG = {
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

  test('stops the start with one message that names every fault, and creates no folder', async () => {
    const message = await refused(WRONG);
    for (const name of Object.keys(WRONG)) expect(message).toMatch(new RegExp(`^ *${name}\\b`, 'm'));
    expect(fs.existsSync(path.join(folder, 'never'))).toBe(false);
  });

  test('of empty values names each of them', async () => {
    // No hosts are allowed: that is nothing wrong.
    const { DESTINATION_HOSTS_ALLOWED: _, ...others } = WRONG;
    const names = [...Object.keys(others), 'DATA_DIR'];
    const message = await refused(Object.fromEntries(names.map((name) => [name, ''])));
    for (const name of names) expect(message).toMatch(new RegExp(`^ *${name}\\b`, 'm'));
  });

  test.each([
    [
      {
        PORT: '80.5',
        CREATIONS_PER_HOUR: '0x10',
        TRUSTED_PROXIES: '10.0.0.0/8,,',
        REDIRECT_WORKERS: 'many',
        OWN_HOSTS: 'a..b',
        LOG_LEVEL: 'INFO',
        BASE_URL: 'https://user:pass@example.org',
      },
    ],
    [{ PORT: '1e3', CREATIONS_PER_HOUR: '1.5', TRUSTED_PROXIES: 'all', REDIRECT_BASE_URL: 'https://example.org/?x' }],
    [{ PORT: ' 8080', CREATIONS_PER_HOUR: '0', TRUSTED_PROXIES: '300.1.1.1' }],
    [{ REDIRECT_PORT: '-1' }],
  ])('of malformed values is refused, naming exactly these faults: %j', async (environment) => {
    const message = await refused(environment);
    const named = [...message.matchAll(/^ *([A-Z][A-Z_]+)\b/gm)].map(([, name]) => name);
    expect(named.sort()).toEqual(Object.keys(environment).sort());
  });

  test('with an invalid file of feeds is refused', async () => {
    const feed = { name: 'x', url: 'https://feeds.example.org/x', format: 'urls', threat_type: 'malware' };
    const files = ['{', JSON.stringify([{ ...feed, every: '5 parsecs' }])].map((content, i) => {
      const file = path.join(folder, `feeds${i}.json`);
      fs.writeFileSync(file, content);
      return file;
    });
    for (const FEEDS of files) expect(await refused({ FEEDS })).toMatch(/^ *FEEDS\b/m);
  });

  test('with one port for two listeners is refused', async () => {
    expect(await refused({ PORT: '18999', REDIRECT_PORT: '18999' })).toMatch(/^ *(REDIRECT_)?PORT\b/m);
  });
});

describe('a start', () => {
  test('with a port in use is refused with a message that names it', async () => {
    const server = net.createServer();
    const port = String(await listening(server));
    const DATA_DIR = fs.mkdtempSync(path.join(folder, 'taken-'));
    const message = await refused({ REDIRECT_PORT: port, DATA_DIR });
    await new Promise((resolve) => server.close(resolve));
    expect(message).toContain(port);
  });

  test('prints its addresses, makes its secrets once, locks its folder, and keeps everything for the next start', async () => {
    const waypost = await newWaypost();
    expect(waypost.output()).toMatch(/\nReady\n$/);
    for (const base of [waypost.api, waypost.redirect]) {
      expect(waypost.output()).toContain(`http://localhost:${new URL(base).port}`);
    }

    const file = path.join(waypost.dataDir, 'secrets.json');
    const secrets = fs.readFileSync(file, 'utf8');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);

    const inUse = await refused({ DATA_DIR: waypost.dataDir });
    expect(inUse).toMatch(/in use/i);
    expect(inUse).toContain(waypost.dataDir);
    expect((await visit(waypost.api, '/readyz')).status).toBe(200);

    const { key } = await waypost.newKey('read,write', { limit: 50 });
    const api = apiClient(waypost.api, key);
    const headers = { 'Idempotency-Key': 'before' };
    const made = await api('POST', '/api/v1/links', { destination_url: DESTINATION, tags: ['a'] }, headers);
    await waypost.restart();
    expect(fs.readFileSync(file, 'utf8')).toBe(secrets);
    const replayed = await api('POST', '/api/v1/links', { destination_url: DESTINATION, tags: ['a'] }, headers);
    expect([replayed.headers.get('idempotency-replayed'), replayed.body]).toEqual(['true', made.body]);
    expect((await api('GET', '/api/v1/links')).body.data).toEqual([made.body.link]);
    const next = await api('POST', '/api/v1/links', { destination_url: DESTINATION });
    expect([next.headers.get('x-ratelimit-limit'), next.headers.get('x-ratelimit-used')]).toEqual(['50', '2']);
    const resets = [made, next].map((answer) => Number(answer.headers.get('x-ratelimit-reset')));
    expect(Math.abs(resets[0]! - resets[1]!)).toBeLessThanOrEqual(1);
    expect((await visit(waypost.redirect, `/${made.body.link.slug}`)).status).toBe(302);

    const answered = await Promise.all(times(30, () => api('POST', '/api/v1/links', { destination_url: DESTINATION })));
    await waypost.kill();
    await waypost.restart();
    for (const { body } of answered) {
      expect((await api('GET', `/api/v1/links/${body.link.slug}`)).body).toEqual(body.link);
    }
  }, 60_000);
});

describe('a stop', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('on %s ends cleanly within 10 s, with connections open', async (signal) => {
    const waypost = await newWaypost();
    const api = apiClient(waypost.api, (await waypost.newKey()).key);
    await api('GET', '/api/v1/links');
    const idle = [waypost.api, waypost.redirect].map(connectTo);
    for (const socket of idle) socket.write('GET / HTTP/1.1\r\n');
    const begin = performance.now();
    process.kill(waypost.pid, signal);
    const code = await waypost.stop();
    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(code).toBe(0);
    for (const socket of idle) socket.destroy();
    await expect(fetch(waypost.api)).rejects.toThrow();
  });
});

test('npm start prints Ready, and a SIGTERM to the npm process only stops everything within 10 s', async () => {
  const [port, redirectPort, internalPort] = await freePorts(3);
  const npm = spawn('npm', ['start'], {
    cwd: ROOT,
    env: {
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      HOME: process.env.HOME,
      FEEDS: 'none',
      DATA_DIR: path.join(folder, 'npm'),
      PORT: String(port),
      REDIRECT_PORT: String(redirectPort),
      INTERNAL_PORT: String(internalPort),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // The first start after a change of the lockfile installs, which takes a while.
  let stdout = '';
  await new Promise<void>((resolve, reject) => {
    npm.once('exit', (code) => reject(new Error(`npm ended with ${code}: ${stdout}`)));
    npm.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.endsWith('\nReady\n')) resolve();
    });
  });
  expect((await visit(`http://127.0.0.1:${port}`, '/readyz')).status).toBe(200);
  const begin = performance.now();
  const exited = new Promise((resolve) => npm.removeAllListeners('exit').once('exit', resolve));
  npm.kill('SIGTERM');
  await exited;
  await expect(visit(`http://127.0.0.1:${port}`, '/healthz')).rejects.toThrow(/ECONNREFUSED/);
  expect(performance.now() - begin).toBeLessThan(10_000);
}, 300_000);

describe('the environment decides', () => {
  test('the base URL of short links, the quota, the hosts that are refused and those that are allowed', async () => {
    const waypost = await newWaypost({
      BASE_URL: 'https://waypost.example.org',
      REDIRECT_BASE_URL: 'https://go.example.org',
      OWN_HOSTS: 'links.example.net',
      DESTINATION_HOSTS_ALLOWED: 'intranet,10.1.0.0/16',
      CREATIONS_PER_HOUR: '7',
    });
    const api = apiClient(waypost.api, (await waypost.newKey()).key);
    const create = (destination_url: string) => api('POST', '/api/v1/links', { destination_url });
    const made = await create('http://intranet/wiki');
    expect(made.status).toBe(201);
    expect(made.body.short_url).toBe(`https://go.example.org/${made.body.link.slug}`);
    expect(made.headers.get('x-ratelimit-limit')).toBe('7');
    expect((await create('http://10.1.2.3/')).status).toBe(201);
    expect((await visit(waypost.redirect, `/${made.body.link.slug}`)).headers.location).toBe('http://intranet/wiki');
    for (const host of [
      'waypost.example.org',
      'go.example.org',
      'a.go.example.org',
      'GO.example.org.',
      'links.example.net',
      'b.links.example.net',
      '10.2.0.1',
      'extranet',
    ]) {
      expectError(await create(`https://${host}/x`), 400, ['destination_url']);
    }
    for (const host of ['example.org', 'notgo.example.org', 'go.example.org.example.com']) {
      expect((await create(`https://${host}/x`)).status).toBe(201);
    }
  });

  test('that the internal port is on loopback even if the public ones are not', async () => {
    const waypost = await newWaypost({ HOST: '0.0.0.0' });
    const outside = Object.values(os.networkInterfaces())
      .flat()
      .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
    const at = (base: string) => base.replace('127.0.0.1', outside ?? '127.0.0.2');
    expect((await visit(at(waypost.api), '/healthz')).status).toBe(200);
    await expect(visit(at(waypost.internal), '/metrics')).rejects.toThrow(/ECONNREFUSED/);
    expect(statusesIn(await sendRaw(at(waypost.redirect), 'GET /healthz HTTP/1.0\r\n\r\n'))).toEqual([200]);
  });
});
