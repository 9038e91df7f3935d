import { describe, expect, test } from '@jest/globals';
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
  openStores,
  query,
  tally,
} from '../links-under-test.ts';

const store = await openStores();
const { links } = store;

describe('the quota', () => {
  const used = async (ownerId: string, now = NOON) => (await links.quota(ownerId, now)).used;

  test('is the default, or the account’s own limit as soon as it is set', async () => {
    expect(await links.quota(await newOwner(store), NOON)).toEqual({
      limit: 300,
      used: 0,
      resetAt: atNoon(HOUR_MS),
    });
    expect(await links.quota(await newOwner(store, 7), NOON)).toMatchObject({ limit: 7 });
  });

  test('counts each link of a batch, and is what `create` returns', async () => {
    const ownerId = await newOwner(store, 20);
    const { quota } = await links.create(asking(ownerId, ...many(5)), NOON);
    expect(quota).toEqual({ limit: 20, used: 5, resetAt: atNoon(HOUR_MS) });
    const again = await links.create(asking(ownerId, {}), LATER);
    expect(again.quota).toEqual({ limit: 20, used: 6, resetAt: atNoon(HOUR_MS) });
    expect(await links.quota(ownerId, LATER)).toEqual(again.quota);
  });

  test('is exact with batches of different size, some of which fail for another reason', async () => {
    const ownerId = await newOwner(store, 100);
    const { slug } = await newLink(store);
    const sizes = Array.from({ length: 30 }, (_, i) => [1, 7, 13][i % 3]!);
    const created = await Promise.all(
      sizes.map((size, i) =>
        links
          .create(asking(ownerId, ...many(size), ...(i % 5 === 0 ? [{ slug }] : [])), NOON)
          .then(({ links: made }) => made.length)
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

  test('opens one window for the first two creations of an account, at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const ownerId = await newOwner(store, 1);
      const calls = [1, 2, 3].map(() => links.create(asking(ownerId, {}), NOON));
      expect(await tally(calls)).toEqual({ ok: 1, quota_exceeded: 2 });
    }
  });

  test('refuses a batch that can never fit with another error than one that fits after the reset', async () => {
    const ownerId = await newOwner(store, 10);
    await links.create(asking(ownerId, ...many(4)), NOON);
    expect(await codeOf(links.create(asking(ownerId, ...many(11)), NOON))).toBe('batch_exceeds_window');
    await expect(links.create(asking(ownerId, ...many(7)), atNoon(600_000))).rejects.toMatchObject({
      code: 'quota_exceeded',
      retryAfterSeconds: 3000,
    });
    expect(await used(ownerId)).toBe(4);
  });

  test('is open again an hour after the window’s first creation, by the given clock', async () => {
    const ownerId = await newOwner(store, 2);
    await links.create(asking(ownerId, {}), NOON);
    await links.create(asking(ownerId, {}), atNoon(HOUR_MS - 2));
    expect(await codeOf(links.create(asking(ownerId, {}), atNoon(HOUR_MS - 1)))).toBe('quota_exceeded');
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

  test('treats replicas alike whose clocks differ by seconds', async () => {
    const ownerId = await newOwner(store, 1);
    await links.create(asking(ownerId, {}), NOON);
    expect(await used(ownerId, atNoon(-3000))).toBe(1);
    expect(await codeOf(links.create(asking(ownerId, {}), atNoon(-3000)))).toBe('quota_exceeded');
  });

  test('may be 0, and may be raised above the default', async () => {
    const none = await newOwner(store, 0);
    expect(await codeOf(links.create(asking(none, {}), NOON))).toBe('quota_exceeded');
    const much = await newOwner(store, 400);
    const { quota } = await links.create(asking(much, ...many(400)), NOON);
    expect(quota).toMatchObject({ limit: 400, used: 400 });
  });
});
