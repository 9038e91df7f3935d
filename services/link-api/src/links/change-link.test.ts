import { expect, test } from '@jest/globals';
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { flagged, OPERATOR, type RedirectRecord, unavailable } from '@waypost/domain';
import { storedLink } from '../../test/links.ts';
import { reviewLink } from '../moderation/review-link.ts';
import { revokeLink } from './revoke.ts';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const FOUND = {
  threatType: 'phishing',
  reasons: [{ rule: 'feed:x', evidence: 'a.example/' }],
  generation: 'g2',
} as const;

async function aLink() {
  const { links, slug, ownerId } = await storedLink(NOW);
  const cache = inProcessLinkCache({ size: 10 });
  const updates: RedirectRecord[] = [];
  cache.watch((record) => updates.push(record));
  return {
    slug,
    ownerId,
    updates,
    links,
    deps: { links, cache, now: () => NOW },
    /** A process with these dependencies cannot reach its caches. */
    cutOff: { links, cache: { replace: () => Promise.reject(unavailable('no cache answers')) }, now: () => NOW },
  };
}

test('updates the caches before a revocation resolves', async () => {
  const { deps, ownerId, slug, updates } = await aLink();
  expect(await revokeLink(deps, ownerId, slug)).toMatchObject({ status: 'revoked', version: 2 });
  expect(updates).toMatchObject([{ slug, status: 'revoked', version: 2 }]);
});

test('a retry updates the caches after a revocation that did not reach them', async () => {
  const { deps, cutOff, ownerId, slug, updates, links } = await aLink();
  await expect(revokeLink(cutOff, ownerId, slug)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('The revocation may still take effect'),
  });
  expect(await links.find(slug)).toMatchObject({ status: 'revoked' });
  await expect(revokeLink(deps, ownerId, slug)).rejects.toMatchObject({ code: 'link_already_revoked' });
  expect(updates).toMatchObject([{ slug, status: 'revoked', version: 2 }]);
});

test('a retry does not answer "already revoked" while the caches are still out of reach', async () => {
  const { cutOff, ownerId, slug } = await aLink();
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(revokeLink(cutOff, ownerId, slug)).rejects.toMatchObject({ code: 'unavailable' });
  }
});

test('a retry updates the caches after a review that did not reach them', async () => {
  const { deps, cutOff, slug, updates, links } = await aLink();
  await links.update(slug, (current) => flagged(current, FOUND, NOW));
  const review = { decision: 'clear', reason: 'a false alarm' } as const;
  await expect(reviewLink(cutOff, slug, review, OPERATOR)).rejects.toMatchObject({ code: 'unavailable' });
  await expect(reviewLink(deps, slug, review, OPERATOR)).rejects.toMatchObject({ code: 'link_not_flagged' });
  expect(updates).toMatchObject([{ slug, status: 'active', version: 3 }]);
});
