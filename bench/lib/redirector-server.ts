/** Starts the redirector with its click log, an in-memory cache of 10,000 links and a bus that accepts everything. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readCountryDb } from '../../libs/origin/src/countries.ts';
import { parseProxies } from '../../libs/settings/src/index.ts';
import { createLogger } from '../../libs/telemetry/src/index.ts';
import { freePort } from '../../scripts/engines/engine.ts';
import { createRedirector } from '../../services/redirector/src/index.ts';

const port = await freePort();
const redirector = createRedirector({
  threads: Number(process.env.REDIRECT_WORKERS ?? 1),
  threadModule: new URL('./redirector-thread.ts', import.meta.url),
  threadDependencies: [],
  own: undefined,
  host: '127.0.0.1',
  port,
  bus: { publishEncoded: async () => undefined },
  clickLogDir: mkdtempSync(path.join(process.argv[2] ?? tmpdir(), 'click-log-')),
  clickLogMaxBytes: 2 ** 33,
  visitorSecret: { current: Buffer.alloc(32, 7) },
  redirectBaseUrl: 'http://localhost',
  trustedProxies: parseProxies([]),
  countries: readCountryDb(),
  microCache: { lifetimeMs: Number(process.env.MICRO_CACHE_MS ?? Number.POSITIVE_INFINITY), size: 50_000 },
  logger: createLogger('redirector', 'warn'),
  logLevel: 'warn',
  now: Date.now,
  contact: 'security@example.org',
});
await redirector.start();
console.log(port);
process.on('SIGTERM', async () => {
  const { captured, shipped, uncaptured } = await redirector.status();
  await redirector.stop();
  console.log(JSON.stringify({ captured, shipped, uncaptured }));
  process.exit(0);
});
