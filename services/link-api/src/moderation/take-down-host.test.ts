import { expect, test } from '@jest/globals';
import { OPERATOR, type RedirectRecord, unavailable } from '@waypost/domain';
import { asking, codeOf, NOON, newOwner, newSlug, openStores } from '../../test/stores.ts';
import { takeDownHost } from './take-down-host.ts';

const stores = await openStores();
const { links } = stores;
const THREAT = { threatType: 'phishing', reason: 'Copies a bank.' } as const;

test('a repeated call tells the redirectors what an earlier call stored before it failed', async () => {
  const slugs = [newSlug(), newSlug()].toSorted();
  const rows = slugs.map((slug) => ({ slug, url: 'https://bad.example.com/' }));
  await links.create(asking(await newOwner(stores), ...rows), NOON);
  const told: RedirectRecord[] = [];
  let isAway = true;
  const cache = {
    replace: async (records: readonly RedirectRecord[]) => {
      if (isAway) throw unavailable('The cache is away.');
      told.push(...records);
    },
  };
  const call = () => takeDownHost({ links, cache, now: () => NOON }, slugs[0]!, '', THREAT, OPERATOR);
  expect(await codeOf(call())).toBe('unavailable');
  isAway = false;
  expect(await call()).toEqual({ takenDown: 0, next: null });
  expect(told.map(({ slug, status, version }) => [slug, status, version]).toSorted()).toEqual(
    slugs.map((slug) => [slug, 'flagged', 2]),
  );
});
