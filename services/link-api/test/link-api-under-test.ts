/** What the tests of link-api's HTTP share: a server, and what every link-api needs. */
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { BlockList } from 'node:net';
import { afterAll, beforeAll } from '@jest/globals';
import { parseAllowed } from '@waypost/domain';
import { listening } from '@waypost/test-support';
import type { LinkApiDeps } from '../src/deps.ts';

/** A server on a free port of 127.0.0.1 for one file of tests, which says with `on('request', …)` what answers. */
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

/** These parts, and the rest that no link-api is without. */
export function depsWith(parts: object, log: (...line: unknown[]) => void = () => undefined): LinkApiDeps {
  return {
    cache: { replace: async () => undefined },
    urlPolicy: { registrableDomain: () => 'example.org', ownHosts: [], allowed: parseAllowed([]) },
    baseUrl: 'http://localhost:1',
    redirectBaseUrl: 'http://localhost:2',
    trustedProxies: new BlockList(),
    health: {},
    logger: { error: log, warn: log, info: log, debug: log },
    now: () => new Date(),
    randomBytes,
    onLateError: log,
    ...parts,
  } as unknown as LinkApiDeps;
}
