/** A redirector as a process of its own, for `killed.test.ts`: its bus takes nothing, so every click stays in the log. */
import type { AddressInfo } from 'node:net';
import { parseProxies } from '@waypost/service-kit';
import { createRedirector } from '../src/index.ts';
import { link, memoryCache, memoryReader, quietLogger } from './support.ts';

const redirector = createRedirector({
  cache: memoryCache(),
  reader: memoryReader([link('abcDEF1')]),
  bus: { publish: () => new Promise(() => undefined) },
  clickLogDir: process.argv[2]!,
  clickLogMaxBytes: 2 ** 30,
  visitorSecret: Buffer.alloc(32, 1),
  redirectBaseUrl: 'https://go.example.org',
  trustedProxies: parseProxies([]),
  microCache: { lifetimeMs: Number.POSITIVE_INFINITY, size: 10 },
  logger: quietLogger(),
  now: Date.now,
  contact: 'security@example.org',
});
redirector.start();
redirector.server.listen(0, '127.0.0.1', () => {
  console.log((redirector.server.address() as AddressInfo).port);
});
