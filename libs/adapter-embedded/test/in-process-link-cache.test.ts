import { expect, test } from '@jest/globals';
import { linkCacheContract } from '@waypost/contracts';
import type { RedirectRecord } from '@waypost/domain';
import { inProcessLinkCache } from '../src/in-process-link-cache.ts';

linkCacheContract('in process', async () => {
  const cache = inProcessLinkCache({ size: 10_000 });
  return { caches: [cache, cache], close: async () => undefined };
});

test('the in-process cache is bounded, and evicts the least recently filled record', async () => {
  const cache = inProcessLinkCache({ size: 3 });
  const record = (slug: string, version = 1): RedirectRecord => ({
    slug,
    status: 'active',
    destinationUrl: 'https://example.com/',
    threatType: null,
    revokedAt: null,
    scannedAt: '2026-11-21T12:00:00.000Z',
    version,
  });
  for (const slug of ['a', 'b', 'c']) await cache.fill(record(slug));
  await cache.replace([record('a', 2)]);
  await cache.announce([record('d'), record('e')]);
  const found = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((slug) => cache.get(slug)));
  expect(found.map((found) => found?.version)).toEqual([2, undefined, undefined, 1, 1]);
});
