import { describe, expect, test } from '@jest/globals';
import { revoked } from '@waypost/domain';
import { postgresLinkReader } from '@waypost/link-api-schema';
import {
  asking,
  atNoon,
  byBytes,
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
} from '../../test/stores.ts';

const store = await openStores();
const { links } = store;

describe('creating', () => {
  test('stores each link of a batch under its own slug, with its verdict, and queues an event for each', async () => {
    const ownerId = await newOwner(store);
    const rows = Array.from({ length: 60 }, (_, i) => ({
      slug: newSlug(`${99 - i}-x`),
      url: `https://example.com/${i}`,
      ...(i % 3 === 0 ? { verdict: PHISHING } : {}),
    }));
    const { links: stored } = await links.create(asking(ownerId, ...rows), NOON);
    for (const [i, link] of stored.entries()) {
      const { slug, url, verdict } = rows[i]!;
      expect(link).toMatchObject({ slug, destinationUrl: url });
      expect(await links.find(slug)).toEqual(link);
      expect(await links.verdicts(slug)).toMatchObject(
        verdict === undefined ? [] : [{ outcome: 'flagged', generation: 'g1', at: NOON }],
      );
    }
    const bySlug = (a: { readonly slug: string }, b: { readonly slug: string }) => byBytes(a.slug, b.slug);
    const slugs = stored.map(({ slug }) => slug);
    const events = stored.map((link) => ({
      v: 1,
      type: 'link.created',
      slug: link.slug,
      destination_url: link.destinationUrl,
      status: link.status,
      threat_type: link.threatType,
      version: 1,
      scan_generation: 'g1',
      at: NOON.toISOString(),
    }));
    expect((await queuedEvents(store, slugs)).toSorted(bySlug)).toEqual(events.toSorted(bySlug));
  });
});

describe('a creation that fails', () => {
  test('names no taken slug if two of its links share a slug that is free', async () => {
    const slug = newSlug();
    const refused = links.create(asking(await newOwner(store), { slug }, { slug }), NOON);
    await expect(refused).rejects.toMatchObject({ code: 'slug_taken', details: { taken_slugs: [] } });
    expect(await links.taken([slug])).toEqual([]);
  });

  test('stores no link and no event, and uses no quota', async () => {
    const { slug: taken } = await newLink(store);
    const ownerId = await newOwner(store, 50);
    await links.create(asking(ownerId, {}), NOON);
    const rows = many(20).map((link) => ({ ...link, verdict: PHISHING }));
    const failing = [
      links.create(asking(ownerId, ...rows, { slug: taken }), NOON),
      links.create(asking(ownerId, ...rows, ...many(30)), NOON),
      links.create(asking(ownerId, ...rows, ...many(31)), NOON),
    ];
    expect(await tally(failing)).toEqual({ slug_taken: 1, quota_exceeded: 1, batch_exceeds_window: 1 });
    expect(await links.quota(ownerId, NOON)).toMatchObject({ used: 1 });
    expect(await links.list(ownerId, query())).toMatchObject({ total: 1 });
    const slugs = rows.map(({ slug }) => slug);
    expect(await links.taken(slugs)).toEqual([]);
    expect(await queuedEvents(store, slugs)).toEqual([]);
    // These slugs can be created now, so the failed creations stored nothing.
    await links.create(asking(ownerId, ...slugs.map((slug) => ({ slug }))), NOON);
  });
});

describe('slugs', () => {
  test('go to only one of 20 concurrent callers, even of different accounts', async () => {
    const owners = await Promise.all(Array.from({ length: 5 }, () => newOwner(store)));
    const slug = newSlug('race');
    const calls = Array.from({ length: 20 }, (_, i) => links.create(asking(owners[i % 5]!, { slug }), NOON));
    expect(await tally(calls)).toEqual({ ok: 1, slug_taken: 19 });
    const spent = await Promise.all(owners.map((ownerId) => links.quota(ownerId, NOON)));
    expect(spent.reduce((sum, { used }) => sum + used, 0)).toBe(1);
    expect(await queuedEvents(store, [slug])).toHaveLength(1);
  });

  test('all go to the same batch if two batches request them in opposite order', async () => {
    const owners = await Promise.all([newOwner(store), newOwner(store)]);
    for (let round = 0; round < 5; round++) {
      const rows = many(30, 'both');
      const calls = [rows, rows.toReversed()].map((one, i) => links.create(asking(owners[i]!, ...one), NOON));
      expect(await tally(calls)).toEqual({ ok: 1, slug_taken: 1 });
    }
  });

  test('are never reused, whatever the state of their link', async () => {
    const created = [await newLink(store), await newLink(store), await newLink(store, { verdict: PHISHING })];
    await links.update(created[1]!.slug, (link) => revoked(link, LATER));
    const stranger = await newOwner(store);
    for (const { slug, ownerId } of created) {
      for (const owner of [stranger, ownerId])
        expect(await codeOf(links.create(asking(owner, { slug }), LATER))).toBe('slug_taken');
    }
    const slugs = created.map(({ slug }) => slug);
    expect((await links.taken([newSlug(), ...slugs])).toSorted()).toEqual(slugs.toSorted());
  });

  test('are only values, even if they look like SQL or patterns', async () => {
    await newLink(store);
    for (const slug of ["' OR 1=1 --", '%', '_______', '\\', '$1', 'é😀', 'x'.repeat(100_000)]) {
      expect(await links.find(slug)).toBeUndefined();
      expect(await links.taken([slug])).toEqual([]);
    }
  });
});

describe('the quota', () => {
  const used = async (ownerId: string, now = NOON) => (await links.quota(ownerId, now)).used;

  test('is the default, or the account’s own limit as soon as it is set', async () => {
    const untouched = { limit: 300, used: 0, resetAt: atNoon(HOUR_MS) };
    expect(await links.quota(await newOwner(store), NOON)).toEqual(untouched);
    const none = await newOwner(store, 0);
    expect(await links.quota(none, NOON)).toMatchObject({ limit: 0 });
    expect(await codeOf(links.create(asking(none, {}), NOON))).toBe('quota_exceeded');
    const { quota } = await links.create(asking(await newOwner(store, 400), ...many(400)), NOON);
    expect(quota).toMatchObject({ limit: 400, used: 400 });
  });

  test('is exact with batches of different size, some of which fail for another reason', async () => {
    const ownerId = await newOwner(store, 100);
    const { slug } = await newLink(store);
    const sizes = Array.from({ length: 30 }, (_, i) => [1, 7, 13][i % 3]!);
    const created = await Promise.all(
      sizes.map((size, i) =>
        links
          .create(asking(ownerId, ...many(size), ...(i % 5 === 0 ? [{ slug }] : [])), NOON)
          .then(({ links: stored }) => stored.length)
          .catch((error: { code?: string }) => {
            expect(['slug_taken', 'quota_exceeded']).toContain(error.code);
            return 0;
          }),
      ),
    );
    const sum = created.reduce((total, count) => total + count, 0);
    expect(sum).toBeGreaterThan(100 - 13);
    expect(await used(ownerId)).toBe(sum);
    expect(await links.list(ownerId, query())).toMatchObject({ total: sum });
    expect(sum).toBeLessThanOrEqual(100);
  });

  test('opens one window if the first two creations of an account are concurrent', async () => {
    for (let round = 0; round < 5; round++) {
      const ownerId = await newOwner(store, 1);
      const calls = [1, 2, 3].map(() => links.create(asking(ownerId, {}), NOON));
      expect(await tally(calls)).toEqual({ ok: 1, quota_exceeded: 2 });
    }
  });

  test('allows creations again an hour after the window’s first creation', async () => {
    const ownerId = await newOwner(store, 2);
    await links.create(asking(ownerId, {}), NOON);
    await links.create(asking(ownerId, {}), atNoon(HOUR_MS - 2));
    const refused = links.create(asking(ownerId, {}), atNoon(HOUR_MS - 1_500));
    await expect(refused).rejects.toMatchObject({ code: 'quota_exceeded', retryAfterSeconds: 2 });
    expect(await used(ownerId, atNoon(HOUR_MS))).toBe(0);
    const { quota } = await links.create(asking(ownerId, {}), atNoon(HOUR_MS));
    expect(quota).toEqual({ limit: 2, used: 1, resetAt: atNoon(2 * HOUR_MS) });
  });

  test('does not lock an account out when the clock is set back', async () => {
    const ownerId = await newOwner(store, 1);
    await links.create(asking(ownerId, {}), NOON);
    const before = atNoon(-5 * HOUR_MS);
    expect(await used(ownerId, before)).toBe(0);
    const { quota } = await links.create(asking(ownerId, {}), before);
    expect(quota).toEqual({ limit: 1, used: 1, resetAt: atNoon(-4 * HOUR_MS) });
    expect(await codeOf(links.create(asking(ownerId, {}), before))).toBe('quota_exceeded');
  });

  test('treats replicas the same if their clocks differ by seconds', async () => {
    const ownerId = await newOwner(store, 1);
    await links.create(asking(ownerId, {}), NOON);
    expect(await used(ownerId, atNoon(-3000))).toBe(1);
    expect(await codeOf(links.create(asking(ownerId, {}), atNoon(-3000)))).toBe('quota_exceeded');
  });
});

test('the redirector reads each change as soon as it is stored', async () => {
  const reader = postgresLinkReader(store.db);
  expect(await reader.find(newSlug())).toBeUndefined();
  const { slug, ownerId, destinationUrl } = await newLink(store);
  expect(await reader.find(slug)).toEqual({
    slug,
    ownerId,
    status: 'active',
    destinationUrl,
    threatType: null,
    revokedAt: null,
    scannedAt: NOON.toISOString(),
    version: 1,
  });
  await links.update(slug, (link) => revoked(link, LATER));
  expect(await reader.find(slug)).toMatchObject({ status: 'revoked', revokedAt: LATER.toISOString(), version: 2 });
});
