import { expect, test } from '@jest/globals';
import { active, linkCacheContract } from '@waypost/contracts';
import { inProcessLinkCache } from '../src/in-process-link-cache.ts';

linkCacheContract('in process', async () => {
  const cache = inProcessLinkCache({ size: 10_000 });
  return { caches: [cache, cache], close: async () => undefined };
});

test('when the in-process cache is full, it drops the record that was stored the longest time ago', async () => {
  const cache = inProcessLinkCache({ size: 3 });
  for (const slug of ['a', 'b', 'c']) await cache.fill(active(slug));
  await cache.replace([active('a', 2)]);
  await cache.announce([active('d'), active('e')]);
  const records = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((slug) => cache.get(slug)));
  expect(records.map((record) => record?.version)).toEqual([2, undefined, undefined, 1, 1]);
});
