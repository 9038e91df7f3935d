import { expect, test } from '@jest/globals';
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { parseProxies } from '@waypost/settings';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { link, memoryReader, quietLogger, request } from '../test/support.ts';
import { sharedState } from './click-log/shared-state.ts';
import { visitorCounts, visitorFigures } from './visitor-counts.ts';
import { createVisitors } from './visitors.ts';

test('a change is confirmed after the redirects that were decided before it in the same turn', async () => {
  const cache = inProcessLinkCache({ size: 10 });
  await cache.announce([link('abcDEF1')]);
  const revoked = link('abcDEF1', { status: 'revoked', revokedAt: '2026-08-19T10:00:00.000Z', version: 2 });
  const counts = visitorCounts();
  const sent = () => visitorFigures([counts]).answers.redirect;
  let isVisited = false;
  let sentAtConfirmation: Promise<number> | undefined;
  const visitors = createVisitors({
    cache,
    reader: memoryReader([]),
    readiness: async () => ({ status: 'ready', dependencies: {} }),
    clickLogDir: newFolder(),
    clickLogMaxBytes: 2 ** 20,
    clickLogState: sharedState(),
    visitorSecret: { current: Buffer.alloc(32, 1) },
    redirectBaseUrl: 'https://go.example.org',
    trustedProxies: parseProxies([]),
    countryDb: undefined,
    microCache: { lifetimeMs: Number.POSITIVE_INFINITY, size: 10 },
    contact: 'security@example.org',
    counts,
    logger: quietLogger(),
    now: () => {
      // Asked for the time of a click, while its request is handled; then comes the change, and then the end of the turn.
      if (isVisited && sentAtConfirmation === undefined) {
        sentAtConfirmation = new Promise((resolve) => {
          process.nextTick(() => visitors.changed([revoked]).then(() => resolve(sent())));
        });
      }
      return Date.now();
    },
  });
  const port = await visitors.listen(0, '127.0.0.1');
  afterwards(() => visitors.stop());

  expect((await request(port, '/abcDEF1')).status).toBe(302); // it is in memory now
  isVisited = true;
  expect((await request(port, '/abcDEF1')).status).toBe(302);
  expect(await sentAtConfirmation).toBe(2);
  expect((await request(port, '/abcDEF1')).status).toBe(410);
});
