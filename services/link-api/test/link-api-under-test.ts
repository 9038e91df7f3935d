import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { BlockList } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';
import { parseAllowed } from '@waypost/domain';
import { untrustedProxies } from '@waypost/process';
import { qrDrawer } from '@waypost/qr-code/qr-drawer';
import { listening } from '@waypost/test-support';
import type { LinkApiPorts } from '../src/app.ts';

/** Starts a server on a free port of 127.0.0.1. The test file adds its handler with `on('request', …)`. */
export function testServer() {
  const server = http.createServer();
  let port: number;
  beforeAll(async () => {
    port = await listening(server);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, base: () => `http://127.0.0.1:${port}` };
}

type Parts = { readonly [Name in keyof LinkApiPorts]?: Partial<LinkApiPorts[Name]> };

/** Returns these parts, with default values for what every request needs. A test calls no other port. */
export function depsWith(parts: Parts, log: (...line: unknown[]) => void = () => undefined): LinkApiPorts {
  const defaults: Parts = {
    cache: { replace: async () => undefined },
    urlPolicy: { registrableDomain: () => 'example.org', ownHosts: [], allowed: parseAllowed([]) },
    baseUrl: 'http://localhost:1',
    redirectBaseUrl: 'http://localhost:2',
    trustedProxies: new BlockList(),
    countryOf: () => 'ZZ',
    proxies: untrustedProxies({ warn: log } as never),
    health: {},
    logger: { error: log, warn: log, info: log, debug: log } as never,
    now: () => new Date(),
    randomBytes,
    qrDrawer,
    onLateError: log,
  };
  return { ...defaults, ...parts } as LinkApiPorts;
}
