import { describe, expect, test } from '@jest/globals';
import {
  cleared,
  edited,
  flagged,
  type Link,
  type LinkChange,
  linkNotFound,
  revoked,
  UnstorableData,
} from '@waypost/domain';
import {
  atNoon,
  codeOf,
  LATER,
  NOON,
  newLink,
  newSlug,
  openStores,
  PHISHING,
  queuedEvents,
} from '../../test/stores.ts';

const store = await openStores();
const { links } = store;

describe('updating', () => {
  test('stores the changed link and queues its event, in the order of the changes', async () => {
    const { slug } = await newLink(store);
    const threat = { threatType: 'malware', reasons: [], generation: 'g2' } as const;
    const steps: ((link: Link) => LinkChange | undefined)[] = [
      (link) => flagged(link, threat, atNoon(1000)),
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

  test('changes nothing if the change is undefined or throws, or the link does not exist', async () => {
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

  test('shows each of 20 callers the change of the previous one', async () => {
    const { slug } = await newLink(store);
    const seen: number[] = [];
    const threat = { threatType: 'scam', reasons: [], generation: 'g2' } as const;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        links.update(slug, (link) => {
          seen.push(link.version);
          return link.status === 'active' ? flagged(link, threat, LATER) : cleared(link, LATER);
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    const events = await queuedEvents(store, [slug]);
    expect(events.map(({ version }) => version)).toEqual(Array.from({ length: 21 }, (_, i) => i + 1));
  });
});

test('an edit is stored, with an event only for a new end, and is not a flag of this period', async () => {
  const { slug, ownerId } = await newLink(store, { verdict: PHISHING });
  await queuedEvents(store, []);
  const edit = { title: 'Menu', note: 'One\n"two"', tags: ['a,b', '{"'] };
  const link = await links.update(slug, (current) => edited(current, edit, LATER));
  expect(link).toMatchObject({ ...edit, updatedAt: LATER, version: 1 });
  expect(await links.find(slug)).toEqual(link);
  expect(await queuedEvents(store, [slug])).toEqual([]);
  expect(await links.changedSince(ownerId, NOON)).toMatchObject({ created: 1, flagged: 1 });
  expect(await links.changedSince(ownerId, atNoon(1))).toMatchObject({ created: 0, flagged: 0 });
  await links.update(slug, (current) => edited(current, { endsAt: LATER }, NOON));
  expect(await queuedEvents(store, [slug])).toMatchObject([{ type: 'link.edited', status: 'flagged', version: 2 }]);
});

describe('updating many', () => {
  const threat = { threatType: 'malware', reasons: [{ rule: 'r', evidence: 'e' }], generation: 'g2' } as const;
  const verdict = { outcome: 'flagged', threat_type: 'malware', reasons: threat.reasons } as const;
  const flag = (slug: string, evidence = 'e') => ({
    slug,
    decide: (link: Link) => {
      const change = flagged(link, threat, LATER);
      const reasons = [{ rule: 'r', evidence }];
      return (
        change && {
          ...change,
          note: { kind: 'verdict', verdict: { ...verdict, reasons }, generation: 'g2', at: LATER } as const,
        }
      );
    },
  });

  test('stores each change with its verdict, event and trace, and resolves to the changed links', async () => {
    const created = await Promise.all(Array.from({ length: 5 }, () => newLink(store)));
    const [revokedOne, ...others] = created.map(({ slug }) => slug);
    await links.update(revokedOne!, (link) => revoked(link, LATER));
    await queuedEvents(store, []);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const changed = await links.updateAll([
      ...created.map(({ slug }) => ({ ...flag(slug), traceparent })),
      // No link has this slug.
      flag(newSlug()),
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
      created.map(({ slug }) => slug),
      traceparent,
    ]);
    expect(rows).toHaveLength(4);
    // A second time, nothing changes and no event is queued.
    expect(await links.updateAll(created.map(({ slug }) => flag(slug)))).toEqual([]);
  });

  test.each(['\ud83d', '\0'])(
    'changes no link if the evidence for one of them cannot be stored: %j',
    async (evidence) => {
      const created = [await newLink(store), await newLink(store)];
      const [good, bad] = created.map(({ slug }) => slug);
      await expect(links.updateAll([flag(good!), flag(bad!, evidence)])).rejects.toThrow(UnstorableData);
      expect(await links.findAll([good!, bad!])).toEqual(expect.arrayContaining(created));
    },
  );

  test('completes for two callers with the same links in another order', async () => {
    const created = await Promise.all(Array.from({ length: 50 }, () => newLink(store)));
    const updates = created.map(({ slug }) => flag(slug));
    const changed = await Promise.all([links.updateAll(updates), links.updateAll(updates.toReversed())]);
    expect(changed.flat()).toHaveLength(50);
  });
});
