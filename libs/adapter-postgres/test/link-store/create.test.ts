import { describe, expect, test } from '@jest/globals';
import type { LinkEvent } from '@waypost/domain';
import {
  asking,
  atNoon,
  byBytes,
  many,
  NOON,
  newOwner,
  newSlug,
  openStores,
  PHISHING,
  queuedEvents,
  tally,
} from '../links-under-test.ts';

const store = await openStores();
const { links } = store;

describe('creating', () => {
  test('stores what it returns', async () => {
    const ownerId = await newOwner(store);
    const slug = newSlug();
    const url = 'https://example.com/Ä?q=%20#x';
    const { links: made } = await links.create(
      asking(ownerId, { slug, url, tags: ['Ünï', 'a"b', '{x}', 'a,b', '\\', 'NULL'] }),
      NOON,
    );
    expect(made).toEqual([
      {
        slug,
        ownerId,
        destinationUrl: url,
        status: 'active',
        threatType: null,
        takeDownReason: null,
        tags: ['Ünï', 'a"b', '{x}', 'a,b', '\\', 'NULL'],
        createdAt: NOON,
        updatedAt: NOON,
        revokedAt: null,
        scannedAt: NOON,
        scanGeneration: 'g1',
        deepScan: null,
        previewFirst: false,
        version: 1,
      },
    ]);
    expect(await links.find(slug)).toEqual(made[0]);
  });

  test('keeps apart what arrives together: times, verdicts, tags and quotas; and only who asks for a taken slug is refused', async () => {
    const ownerId = await newOwner(store);
    const { slug: taken } = (await links.create(asking(ownerId, { slug: newSlug() }), NOON)).links[0]!;
    for (const refused of [undefined, taken]) {
      const before = (await links.quota(ownerId, NOON)).used;
      const wanted = Array.from({ length: 12 }, (_, i) => ({
        slug: i === 7 && refused !== undefined ? refused : newSlug(`t${i}`),
        tags: [`tag ${i}`],
        ...(i % 3 === 0 ? { verdict: PHISHING } : {}),
      }));
      const settled = await Promise.allSettled(
        wanted.map((one, i) => links.create(asking(ownerId, one, {}), atNoon(i * 1_000))),
      );
      const used: number[] = [];
      for (const [i, result] of settled.entries()) {
        expect([i, result.status]).toEqual([i, i === 7 && refused !== undefined ? 'rejected' : 'fulfilled']);
        if (result.status === 'rejected') continue;
        used.push(result.value.quota.used - before);
        for (const link of result.value.links) expect(await links.find(link.slug)).toEqual(link);
        expect(result.value.links[0]).toMatchObject({ createdAt: atNoon(i * 1_000), tags: wanted[i]!.tags });
        expect(await links.verdicts(wanted[i]!.slug)).toMatchObject(
          i % 3 === 0 ? [{ outcome: 'flagged', generation: 'g1', at: atNoon(i * 1_000) }] : [],
        );
      }
      expect(used.sort((a, b) => a - b)).toEqual(used.map((_, i) => 2 * (i + 1)));
    }
  });

  test('stores each link of a batch under its own slug', async () => {
    const ownerId = await newOwner(store);
    const wanted = Array.from({ length: 60 }, (_, i) => ({
      slug: newSlug(`${99 - i}-x`),
      url: `https://example.com/${i}`,
    }));
    const { links: made } = await links.create(asking(ownerId, ...wanted), NOON);
    expect(made.map(({ destinationUrl }) => destinationUrl)).toEqual(wanted.map(({ url }) => url));
    for (const [i, link] of made.entries()) {
      expect(link.slug).toBe(wanted[i]!.slug);
      expect(await links.find(link.slug)).toEqual(link);
    }
  });

  test('queues one event for each link', async () => {
    const ownerId = await newOwner(store);
    const wanted = [...many(3), { slug: newSlug(), verdict: PHISHING }];
    const { links: made } = await links.create(asking(ownerId, ...wanted), NOON);
    const slugs = made.map(({ slug }) => slug);
    const events = await queuedEvents(store, slugs);
    expect(events.toSorted(bySlug)).toEqual(
      made
        .map((link) => ({
          v: 1,
          type: 'link.created',
          slug: link.slug,
          destination_url: link.destinationUrl,
          status: link.status,
          threat_type: link.threatType,
          version: 1,
          scan_generation: 'g1',
          at: NOON.toISOString(),
        }))
        .toSorted(bySlug),
    );
  });

  test('serves owners that create in bulk concurrently', async () => {
    const owners = await Promise.all(Array.from({ length: 8 }, () => newOwner(store)));
    const calls = owners.map((ownerId) => links.create(asking(ownerId, ...many(40)), NOON));
    expect(await tally(calls)).toEqual({ ok: 8 });
  });
});

const bySlug = (a: Pick<LinkEvent, 'slug'>, b: Pick<LinkEvent, 'slug'>) => byBytes(a.slug, b.slug);
