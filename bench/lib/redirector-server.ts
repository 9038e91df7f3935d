/** The redirector with its click log, in front of an in-memory cache of 10,000 links and a bus that takes everything. */
import { mkdtempSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger, parseProxies } from '../../libs/service-kit/src/index.ts';
import { createRedirector } from '../../services/redirector/src/index.ts';
import { benchLinks } from './links.ts';

const folder = mkdtempSync(path.join(process.argv[2] ?? tmpdir(), 'click-log-'));
const links = new Map(benchLinks().map((record) => [record.slug, record]));
const redirector = createRedirector({
  cache: {
    get: async (slug) => links.get(slug),
    fill: async (record) => record,
    fillUnknown: async () => null,
    replace: async () => undefined,
    announce: async () => undefined,
    watch: () => undefined,
  },
  reader: { find: async () => undefined },
  bus: { publish: async () => undefined },
  clickLogDir: folder,
  clickLogMaxBytes: 2 ** 33,
  visitorSecret: Buffer.alloc(32, 7),
  redirectBaseUrl: 'http://localhost',
  trustedProxies: parseProxies([]),
  microCache: { lifetimeMs: Number(process.env.MICRO_CACHE_MS ?? Number.POSITIVE_INFINITY), size: 50_000 },
  logger: createLogger('redirector', 'warn'),
  now: Date.now,
  contact: 'security@example.org',
});
redirector.start();
redirector.server.listen(0, '127.0.0.1', () => console.log((redirector.server.address() as AddressInfo).port));
process.on('SIGTERM', () => {
  void redirector.stop().then(() => {
    const { captured, shipped, uncaptured } = redirector.status();
    console.log(JSON.stringify({ captured, shipped, uncaptured }));
    process.exit(0);
  });
});
