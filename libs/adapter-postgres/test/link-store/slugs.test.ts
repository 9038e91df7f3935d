import { describe, expect, test } from '@jest/globals';
import { revoked } from '@waypost/domain';
import {
  asking,
  codeOf,
  LATER,
  many,
  NOON,
  newLink,
  newOwner,
  newSlug,
  openStores,
  PHISHING,
  queuedEvents,
  tally,
} from '../links-under-test.ts';

const store = await openStores();
const { links } = store;

describe('slugs', () => {
  test('go to one of 20 concurrent callers, of any account', async () => {
    const owners = await Promise.all(Array.from({ length: 5 }, () => newOwner(store)));
    const slug = newSlug('race');
    const calls = Array.from({ length: 20 }, (_, i) => links.create(asking(owners[i % 5]!, { slug }), NOON));
    expect(await tally(calls)).toEqual({ ok: 1, slug_taken: 19 });
    const spent = await Promise.all(owners.map((ownerId) => links.quota(ownerId, NOON)));
    expect(spent.reduce((sum, { used }) => sum + used, 0)).toBe(1);
    expect(await queuedEvents(store, [slug])).toHaveLength(1);
  });

  test('all go to one of two batches that request the same ones in opposite order', async () => {
    const owners = await Promise.all([newOwner(store), newOwner(store)]);
    for (let round = 0; round < 5; round++) {
      const wanted = many(30, 'both');
      const calls = [wanted, wanted.toReversed()].map((one, i) => links.create(asking(owners[i]!, ...one), NOON));
      expect(await tally(calls)).toEqual({ ok: 1, slug_taken: 1 });
    }
  });

  test('are never reused, whatever the state of their link', async () => {
    const [active, gone, flaggedOne] = [
      await newLink(store),
      await newLink(store),
      await newLink(store, { verdict: PHISHING }),
    ];
    await links.update(gone.slug, (link) => revoked(link, LATER));
    const ownerId = await newOwner(store);
    for (const { slug, ownerId: first } of [active, gone, flaggedOne]) {
      expect(await codeOf(links.create(asking(ownerId, { slug }), LATER))).toBe('slug_taken');
      expect(await codeOf(links.create(asking(first, { slug }), LATER))).toBe('slug_taken');
    }
    const free = newSlug();
    const slugs = [free, active.slug, gone.slug, flaggedOne.slug];
    expect((await links.taken(slugs)).toSorted()).toEqual(slugs.slice(1).toSorted());
  });
});
