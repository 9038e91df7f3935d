/**
 * Tests the shipped configuration of HAProxy (deploy/haproxy) and of Caddy in front of it (deploy/caddy). The real
 * programs run in front of servers that answer with the visitor's address. The redirector's own function finds that
 * address.
 */
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientAddress, SERVER_LIMITS } from '@waypost/process';
import { parseProxies } from '@waypost/settings';
import { findProgram, freePort, type ProcessRun, startProgram } from '../engine.ts';

const deploy = path.resolve(import.meta.dirname, '../../../deploy');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-balancer-'));

/** An operator names such proxies. HAProxy and Caddy themselves are on loopback. */
const PROXIES = ['10.1.0.0/16', '192.0.2.7', '2001:db8:1::/48'];
const whose = clientAddress(parseProxies(['127.0.0.1', '::1', ...PROXIES]));

interface Redirector {
  readonly server: http.Server;
  readonly port: number;
  /** Counts all requests that arrived, with or without an answer. */
  arrived: number;
  behaviour: 'answers' | 'dies';
}
const redirectors: Redirector[] = [];
const running: ProcessRun[] = [];
let balancerPort: number;
let caddyPort: number;

async function startRedirector(): Promise<Redirector> {
  const server = http.createServer(SERVER_LIMITS, (request, response) => {
    if (request.url === '/healthz') return void response.end('ok');
    self.arrived += 1;
    if (self.behaviour === 'dies') return void request.socket.resetAndDestroy();
    response.end(whose(request));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: Redirector = {
    server,
    port: (server.address() as AddressInfo).port,
    arrived: 0,
    behaviour: 'answers',
  };
  redirectors.push(self);
  return self;
}

beforeAll(async () => {
  const servers = [await startRedirector(), await startRedirector()];
  balancerPort = await freePort();
  caddyPort = await freePort();
  const serversFile = path.join(dir, 'servers.cfg');
  const lines = servers.map(({ port }, i) => `  server redirector-${i + 1} 127.0.0.1:${port}`);
  fs.writeFileSync(serversFile, `backend redirectors\n${lines.join('\n')}\n`);
  running.push(
    await startProgram({
      name: 'HAProxy',
      command: findProgram('haproxy')!,
      args: ['-db', '-f', path.join(deploy, 'haproxy/haproxy.cfg'), '-f', serversFile],
      env: {
        ...process.env,
        WAYPOST_BIND: `127.0.0.1:${balancerPort},[::1]:${balancerPort}`,
        WAYPOST_PROXIES: ['127.0.0.1', '::1', ...PROXIES].join(' '),
      },
      logFile: path.join(dir, 'haproxy.log'),
      isReady: async () => (await fetch(`http://127.0.0.1:${balancerPort}/healthz`)).ok,
      readyWithinMs: 15_000,
    }),
  );
  running.push(
    await startProgram({
      name: 'Caddy',
      command: findProgram('caddy')!,
      args: ['run', '--config', path.join(deploy, 'caddy/Caddyfile'), '--adapter', 'caddyfile'],
      env: {
        ...process.env,
        HOME: dir,
        XDG_DATA_HOME: dir,
        XDG_CONFIG_HOME: dir,
        BASE_URL: 'https://api.localhost',
        REDIRECT_BASE_URL: 'https://localhost',
        WAYPOST_HTTP_PORT: String(await freePort()),
        WAYPOST_HTTPS_PORT: String(caddyPort),
        WAYPOST_BALANCER: `127.0.0.1:${balancerPort}`,
        WAYPOST_API: `127.0.0.1:${servers[0]!.port}`,
      },
      logFile: path.join(dir, 'caddy.log'),
      isReady: async () => (await visit({ through: 'Caddy' })).status === 200,
      readyWithinMs: 30_000,
    }),
  );
});

afterAll(async () => {
  for (const run of running.reverse()) {
    run.end();
    await run.exited;
  }
  for (const { server } of redirectors) {
    server.closeAllConnections();
    server.close();
  }
  fs.rmSync(dir, { recursive: true, force: true });
});

interface Visit {
  readonly through: 'HAProxy' | 'Caddy';
  readonly from?: string;
  readonly forwarded?: readonly string[];
  readonly headers?: http.OutgoingHttpHeaders;
}

async function visit({ through, from = '127.0.0.1', forwarded = [], headers = {} }: Visit) {
  const host = net.isIPv6(from) ? '::1' : '127.0.0.1';
  const options = {
    host,
    localAddress: from,
    path: '/abcDEF1',
    agent: false as const,
    headers: { ...headers, ...(forwarded.length > 0 && { 'x-forwarded-for': forwarded as string[] }) },
  };
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const ca = () => fs.readFileSync(path.join(dir, 'caddy/pki/authorities/local/root.crt'));
    const answered = (response: http.IncomingMessage) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body }));
    };
    try {
      const request =
        through === 'HAProxy'
          ? http.get({ ...options, port: balancerPort }, answered)
          : https.get(
              {
                ...options,
                port: caddyPort,
                ca: ca(),
                servername: 'localhost',
                headers: { ...options.headers, host: 'localhost' },
              },
              answered,
            );
      request.on('error', reject);
    } catch (error) {
      reject(error);
    }
  });
}

/** A source address of `127.0.0.1` or `::1` belongs to a proxy; any other loopback address belongs to a visitor. */
const CHAINS: readonly (readonly [what: string, from: string, forwarded: string[], visitor: string])[] = [
  ['a visitor', '127.0.0.5', [], '127.0.0.5'],
  ['a visitor who claims to be another', '127.0.0.5', ['203.0.113.9'], '127.0.0.5'],
  ['a visitor who claims to come through a trusted proxy', '127.0.0.6', ['203.0.113.9, 10.1.2.3'], '127.0.0.6'],
  ['one proxy', '127.0.0.1', ['198.51.100.20'], '198.51.100.20'],
  ['one proxy, over IPv6', '::1', ['2001:db8:ffff::9'], '2001:db8:ffff::9'],
  ['one proxy, which adds the port', '127.0.0.1', ['198.51.100.21:52100'], '198.51.100.21'],
  ['one proxy, which adds the port to IPv6', '127.0.0.1', ['[2001:db8:ffff::8]:443'], '2001:db8:ffff::8'],
  ['two proxies', '127.0.0.1', ['198.51.100.22, 10.1.2.3'], '198.51.100.22'],
  [
    'three proxies, and what the visitor forged',
    '127.0.0.1',
    ['8.8.8.8, 198.51.100.23, 2001:db8:1::7, 192.0.2.7'],
    '198.51.100.23',
  ],
  ['two proxies, each with a line of its own', '127.0.0.1', ['8.8.4.4, 198.51.100.24', '10.1.0.9'], '198.51.100.24'],
  ['an untrusted proxy', '127.0.0.1', ['198.51.100.25, 198.18.0.1'], '198.18.0.1'],
  ['nonsense from the visitor', '127.0.0.1', ['unknown, <script>, 198.51.100.26'], '198.51.100.26'],
];

describe.each(['HAProxy', 'Caddy'] as const)('%s', (through) => {
  test.each(CHAINS)('identifies the visitor behind: %s', async (_, from, forwarded, visitor) => {
    expect(await visit({ through, from, forwarded })).toEqual({ status: 200, body: visitor });
  });
});

test('too many or too large headers are answered 431', async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x-${i}`, 'y']));
  expect((await visit({ through: 'HAProxy', headers: many })).status).toBe(431);
  expect((await visit({ through: 'HAProxy', headers: { 'x-long': 'y'.repeat(20_000) } })).status).toBe(431);
  expect((await visit({ through: 'HAProxy', headers: { 'x-long': 'y'.repeat(200_000) } })).status).toBe(431);
  expect((await visit({ through: 'Caddy', headers: many })).status).toBe(431);
});

test.each(['HAProxy', 'Caddy'] as const)('%s never repeats a request that may have arrived', async (through) => {
  for (const one of redirectors) Object.assign(one, { behaviour: 'dies', arrived: 0 });
  try {
    for (let i = 0; i < 10; i++) expect((await visit({ through })).status).toBe(502);
    expect(redirectors[0]!.arrived + redirectors[1]!.arrived).toBe(10);
  } finally {
    for (const one of redirectors) one.behaviour = 'answers';
  }
});

test('a client holds 200 connections at most, and a proxy as many as it has visitors', async () => {
  const open = (from: string) =>
    new Promise<Socket | undefined>((resolve) => {
      const socket = net.connect({ host: '127.0.0.1', port: balancerPort, localAddress: from });
      socket.on('error', () => resolve(undefined));
      socket.on('close', () => resolve(undefined));
      // The kernel accepts every connection, so HAProxy refuses one by closing it.
      socket.on('connect', () => setTimeout(() => resolve(socket.destroyed ? undefined : socket), 300));
    });
  const sockets: (Socket | undefined)[] = [];
  try {
    const greedy = await Promise.all(Array.from({ length: 230 }, () => open('127.0.0.9')));
    const others = await Promise.all([...Array.from({ length: 230 }, () => open('127.0.0.1')), open('127.0.0.10')]);
    sockets.push(...greedy, ...others);
    expect(greedy.filter((socket) => socket !== undefined)).toHaveLength(200);
    expect(others).not.toContain(undefined);
  } finally {
    for (const socket of sockets) socket?.destroy();
  }
});

test('the loss of a redirector affects no visitor', async () => {
  const [gone] = redirectors;
  gone!.server.closeAllConnections();
  await new Promise((resolve) => gone!.server.close(resolve));
  for (let i = 0; i < 50; i++) expect((await visit({ through: 'HAProxy' })).status).toBe(200);
});

test('no file contains the address of a visitor', async () => {
  for (const through of ['HAProxy', 'Caddy'] as const) {
    for (const { server } of redirectors) {
      server.closeAllConnections();
      server.close();
    }
    // Both servers log the error of a failed request.
    expect((await visit({ through, from: '127.0.0.5', forwarded: ['203.0.113.9'] })).status).toBeGreaterThanOrEqual(
      502,
    );
  }
  running[0]!.end();
  await running[0]!.exited;
  expect((await visit({ through: 'Caddy', from: '127.0.0.5', forwarded: ['203.0.113.9'] })).status).toBe(502);
  const visitors = [...new Set(CHAINS.flatMap(([, from, , visitor]) => [from, visitor]))].filter(
    (address) => !['127.0.0.1', '::1'].includes(address),
  );
  for (const file of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const text = fs.readFileSync(path.join(file.parentPath, file.name), 'latin1');
    for (const address of [...visitors, '203.0.113.9', '127.0.0.9'])
      expect([file.name, text.includes(address)]).toEqual([file.name, false]);
  }
});
