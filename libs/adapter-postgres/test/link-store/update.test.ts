import { describe, expect, test } from '@jest/globals';
import { cleared, flagged, type Link, type LinkChange, linkNotFound, revoked, UnstorableData } from '@waypost/domain';
import { atNoon, codeOf, LATER, NOON, newLink, newSlug, openStores, queuedEvents, tally } from '../links-under-test.ts';

const store = await openStores();
const { links } = store;

describe('updating', () => {
  test('stores the changed link and queues its event, in the order of the changes', async () => {
    const { slug } = await newLink(store);
    const found = { threatType: 'malware', reasons: [], generation: 'g2' } as const;
    const steps: ((link: Link) => LinkChange | undefined)[] = [
      (link) => flagged(link, found, atNoon(1000)),
      (link) => cleared(link, atNoon(2000)),
      (link) => revoked(link, atNoon(3000)),
    ];
    for (const step of steps) {
      const link = await links.update(slug, step);
      expect(await links.find(slug)).toEqual(link);
    }
    expect(await links.find(slug)).toMatchObject({ version: 4, status: 'revoked', revokedAt: atNoon(3000) });
    const events = await queuedEvents(store, [slug]);
    expect(events.map(({ type, version, status, at }) => [type, version, status, at])).toEqual([
      ['link.created', 1, 'active', NOON.toISOString()],
      ['link.flagged', 2, 'flagged', atNoon(1000).toISOString()],
      ['link.cleared', 3, 'active', atNoon(2000).toISOString()],
      ['link.revoked', 4, 'revoked', atNoon(3000).toISOString()],
    ]);
  });

  test('leaves the link as it is, without an event, if the change is undefined or throws, or there is none', async () => {
    const link = await newLink(store);
    await queuedEvents(store, []);
    expect(await links.update(link.slug, () => undefined)).toEqual(link);
    const unasked = () => {
      throw new Error('asked');
    };
    expect(await links.update(newSlug(), unasked)).toBeUndefined();
    const refusing = links.update(link.slug, ({ slug }) => {
      throw linkNotFound(slug);
    });
    expect(await codeOf(refusing)).toBe('link_not_found');
    expect(await links.find(link.slug)).toEqual(link);
    expect(await queuedEvents(store, [link.slug])).toEqual([]);
  });

  test('revokes once when 20 callers revoke concurrently', async () => {
    const { slug } = await newLink(store);
    const calls = Array.from({ length: 20 }, (_, i) => links.update(slug, (link) => revoked(link, atNoon(i))));
    expect(await tally(calls)).toEqual({ ok: 1, link_already_revoked: 19 });
    expect(await links.find(slug)).toMatchObject({ version: 2 });
    const events = await queuedEvents(store, [slug]);
    expect(events.map(({ type }) => type)).toEqual(['link.created', 'link.revoked']);
  });

  test('shows each of 20 callers the change of the previous one', async () => {
    const { slug } = await newLink(store);
    const seen: number[] = [];
    const found = { threatType: 'scam', reasons: [], generation: 'g2' } as const;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        links.update(slug, (link) => {
          seen.push(link.version);
          return link.status === 'active' ? flagged(link, found, LATER) : cleared(link, LATER);
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    const events = await queuedEvents(store, [slug]);
    expect(events.map(({ version }) => version)).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
  });
});

describe('updating many', () => {
  const found = { threatType: 'malware', reasons: [{ rule: 'r', evidence: 'e' }], generation: 'g2' } as const;
  const verdict = { outcome: 'flagged', threat_type: 'malware', reasons: found.reasons } as const;
  const flag = (slug: string, evidence = 'e') => ({
    slug,
    change: (link: Link) => flagged(link, found, LATER),
    note: {
      kind: 'verdict',
      verdict: { ...verdict, reasons: [{ rule: 'r', evidence }] },
      generation: 'g2',
    } as const,
  });

  test('stores each change, its verdict and its event, in its trace, and resolves to what changed', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => newLink(store)));
    const [revokedOne, ...others] = made.map(({ slug }) => slug);
    await links.update(revokedOne!, (link) => revoked(link, LATER));
    await queuedEvents(store, []);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const changed = await links.updateAll([
      ...made.map(({ slug }) => ({ ...flag(slug), traceparent })),
      flag(newSlug()), // unknown
    ]);
    expect(changed.map(({ slug }) => slug).toSorted()).toEqual(others.toSorted());
    for (const link of changed) {
      expect(link).toMatchObject({ status: 'flagged', threatType: 'malware', updatedAt: LATER, version: 2 });
      expect(await links.find(link.slug)).toEqual(link);
      expect(await links.verdicts(link.slug)).toMatchObject([{ outcome: 'flagged', generation: 'g2', at: LATER }]);
    }
    expect(await links.findAll([...others, newSlug()])).toHaveLength(4);
    expect(await links.verdicts(revokedOne!)).toEqual([]);
    const rows = await store.db.query('SELECT key, traceparent FROM outbox WHERE key = ANY($1) AND traceparent = $2', [
      made.map(({ slug }) => slug),
      traceparent,
    ]);
    expect(rows).toHaveLength(4);
    // Again, nothing changes and nobody is told.
    expect(await links.updateAll(made.map(({ slug }) => flag(slug)))).toEqual([]);
  });

  test.each(['\ud83d', '\0'])(
    'is all or nothing: evidence that no row can hold leaves all as they are: %j',
    async (evidence) => {
      const made = [await newLink(store), await newLink(store)];
      const [good, bad] = made.map(({ slug }) => slug);
      await expect(links.updateAll([flag(good!), flag(bad!, evidence)])).rejects.toThrow(UnstorableData);
      expect(await links.findAll([good!, bad!])).toEqual(expect.arrayContaining(made));
    },
  );

  test('two callers with the same links in another order both end', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => newLink(store)));
    const updates = made.map(({ slug }) => flag(slug));
    const changed = await Promise.all([links.updateAll(updates), links.updateAll(updates.toReversed())]);
    expect(changed.flat()).toHaveLength(50);
  });
});
