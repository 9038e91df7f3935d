import { describe, expect, test } from '@jest/globals';
import type { DomainError } from '@waypost/domain';
import {
  asking,
  atNoon,
  codeOf,
  HOUR_MS,
  LATER,
  many,
  NOON,
  newLink,
  newOwner,
  newSlug,
  openStores,
  PHISHING,
  query,
  queuedEvents,
  tally,
} from '../links-under-test.ts';

const store = await openStores();
const { links } = store;

describe('a creation that fails', () => {
  test('names the slugs that exist already, whoever owns them', async () => {
    const [first, second] = [await newLink(store), await newLink(store)];
    const ownerId = await newOwner(store);
    const wanted = [{ slug: second.slug }, ...many(1), { slug: first.slug }, {}];
    const error = await links.create(asking(ownerId, ...wanted), NOON).catch((thrown: DomainError) => thrown);
    expect(error).toMatchObject({ code: 'slug_taken' });
    expect((error as DomainError).details?.taken_slugs).toHaveLength(2);
    expect((error as DomainError).details?.taken_slugs).toEqual(expect.arrayContaining([second.slug, first.slug]));
  });

  test('names none when two of its links share a slug that is free', async () => {
    const ownerId = await newOwner(store);
    const slug = newSlug();
    await expect(links.create(asking(ownerId, { slug }, { slug }), NOON)).rejects.toMatchObject({
      code: 'slug_taken',
      details: { taken_slugs: [] },
    });
    expect(await links.taken([slug])).toEqual([]);
  });

  test('leaves no link and no event, and spends nothing', async () => {
    const { slug: taken } = await newLink(store);
    const ownerId = await newOwner(store, 50);
    await links.create(asking(ownerId, {}), NOON);
    const wanted = many(20).map((link) => ({ ...link, verdict: PHISHING }));
    const failing = [
      links.create(asking(ownerId, ...wanted, { slug: taken }), NOON),
      links.create(asking(ownerId, ...wanted, ...many(30)), NOON),
      links.create(asking(ownerId, ...wanted, ...many(31)), NOON),
    ];
    expect(await tally(failing)).toEqual({ slug_taken: 1, quota_exceeded: 1, batch_exceeds_window: 1 });
    expect(await links.quota(ownerId, NOON)).toMatchObject({ used: 1 });
    expect(await links.list(ownerId, query())).toMatchObject({ total: 1 });
    const slugs = wanted.map(({ slug }) => slug);
    expect(await links.taken(slugs)).toEqual([]);
    expect(await queuedEvents(store, slugs)).toEqual([]);
    // The same slugs are free afterwards, so nothing of them was stored.
    await links.create(asking(ownerId, ...slugs.map((slug) => ({ slug }))), NOON);
  });

  test('opens no window', async () => {
    const { slug } = await newLink(store);
    const ownerId = await newOwner(store);
    expect(await codeOf(links.create(asking(ownerId, { slug }), NOON))).toBe('slug_taken');
    expect(await links.quota(ownerId, LATER)).toEqual({ limit: 300, used: 0, resetAt: atNoon(HOUR_MS + 60_000) });
  });
});
