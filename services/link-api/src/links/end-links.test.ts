import { expect, test } from '@jest/globals';
import { flagged, type Link, revoked } from '@waypost/domain';
import { until } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import {
  asking,
  atNoon,
  many,
  newLink,
  newOwner,
  openStores,
  PHISHING,
  queuedEvents,
  tally,
} from '../../test/stores.ts';
import { endLinks } from './end-links.job.ts';

const END = atNoon(60_000);

async function job(now: () => Date) {
  const store = await openStores(100_000);
  const errors: unknown[] = [];
  const run = async () => {
    const running = await endLinks({ links: store.links, now, onLateError: (error) => errors.push(error) });
    afterwards(() => running.stop());
  };
  return { store, run, errors };
}

test('revokes active and flagged links at their end, not a millisecond before, and tells why', async () => {
  let now = atNoon(59_999);
  const { store, run, errors } = await job(() => now);
  const ending = await newLink(store, { endsAt: END });
  const suspected = await newLink(store, { endsAt: END, verdict: PHISHING });
  const later = await newLink(store, { endsAt: atNoon(60_001) });
  const endless = await newLink(store);
  const stored = async () => {
    const links = await store.links.findAll([ending, suspected, later, endless].map(({ slug }) => slug));
    return new Map(links.map((link) => [link.slug, link]));
  };
  const untouched = await stored();
  await queuedEvents(store, []);
  await run();
  expect(await stored()).toEqual(untouched);
  now = END;
  await until(async () => (await stored()).get(suspected.slug)?.status === 'revoked');
  const after = await stored();
  for (const link of [ending, suspected]) {
    const times = { revokedAt: END, updatedAt: END };
    expect(after.get(link.slug)).toEqual({ ...link, ...times, status: 'revoked', threatType: null, version: 2 });
    expect(await queuedEvents(store, [link.slug])).toEqual(
      link === ending
        ? [expect.objectContaining({ type: 'link.revoked', cause: 'ended', at: END.toISOString(), version: 2 })]
        : [],
    );
  }
  for (const link of [later, endless]) expect(after.get(link.slug)).toEqual(link);
  expect(errors).toEqual([]);
});

test('a process that was away revokes all that ended before it answers, also beside another one', async () => {
  const { store, run } = await job(() => END);
  const ownerId = await newOwner(store, 100_000);
  const slugs: string[] = [];
  for (let batch = 0; batch < 4; batch++) {
    const rows = many(500).map((row) => ({ ...row, endsAt: END }));
    slugs.push(...(await store.links.create(asking(ownerId, ...rows), atNoon(0))).links.map(({ slug }) => slug));
  }
  await queuedEvents(store, []);
  await Promise.all([run(), run()]);
  const links = await store.links.findAll(slugs);
  expect(new Set(links.map(({ status, version }) => `${status} ${version}`))).toEqual(new Set(['revoked 2']));
  expect(await queuedEvents(store, slugs)).toHaveLength(2_000);
  expect((await store.links.facets(ownerId)).statuses).toEqual({ active: 0, flagged: 0, revoked: 2_000 });
});

test('a revoke and a flag that race with the end change the link once', async () => {
  const { store, run } = await job(() => END);
  const links = await Promise.all(Array.from({ length: 20 }, () => newLink(store, { endsAt: END })));
  await queuedEvents(store, []);
  const threat = { threatType: 'scam', reasons: [], generation: 'g2' } as const;
  const racing = links.map(({ slug }, i) =>
    store.links.update(slug, (link: Link) =>
      i % 2 === 0 ? revoked(link, atNoon(59_999)) : flagged(link, threat, atNoon(59_999)),
    ),
  );
  await Promise.all([tally(racing), run()]);
  for (const link of await store.links.findAll(links.map(({ slug }) => slug))) {
    expect(link).toMatchObject({ status: 'revoked', threatType: null });
    expect([END, atNoon(59_999)]).toContainEqual(link.revokedAt);
    const events = await queuedEvents(store, [link.slug]);
    expect(events.filter(({ type }) => type === 'link.revoked').length).toBeLessThanOrEqual(1);
  }
});
