import { expect, test } from '@jest/globals';
import { active, linkCacheContract } from '@waypost/contracts';
import { inProcessLinkCache } from '../src/in-process-link-cache.ts';

linkCacheContract('in process', async () => {
  const cache = inProcessLinkCache({ size: 10_000 });
  return { caches: [cache, cache], close: async () => undefined };
});

test('the in-process cache is bounded, and evicts the least recently filled record', async () => {
  const cache = inProcessLinkCache({ size: 3 });
  for (const slug of ['a', 'b', 'c']) await cache.fill(active(slug));
  await cache.replace([active('a', 2)]);
  await cache.announce([active('d'), active('e')]);
  const found = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((slug) => cache.get(slug)));
  expect(found.map((found) => found?.version)).toEqual([2, undefined, undefined, 1, 1]);
});
