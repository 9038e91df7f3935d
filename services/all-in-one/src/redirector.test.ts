import { expect, test } from '@jest/globals';
import type { RedirectRecord } from '@waypost/domain';
import { cacheOf } from './redirector.ts';

const records = (...slugs: readonly string[]): RedirectRecord[] =>
  slugs.map((slug) => ({
    slug,
    ownerId: '0193a5d0-7c1e-4abc-8def-0123456789ab',
    status: 'active',
    destinationUrl: 'https://www.wikipedia.org/',
    threatType: null,
    revokedAt: null,
    scannedAt: '2026-11-22T12:00:00.000Z',
    version: 1,
  }));
const many = Array.from({ length: 10 }, (_, i) => `s${i}`);

test('new links of one turn of the event loop reach the threads in one message, many by their slugs alone', async () => {
  const messages: (readonly string[])[] = [];
  const cache = cacheOf({
    changed: async (changed) => void messages.push(['records', ...changed.map(({ slug }) => slug)]),
    created: async (slugs) => void messages.push(['slugs', ...slugs]),
  });
  await Promise.all([cache.announce(records('one')), cache.announce(records('two', 'three'))]);
  await cache.announce(records(...many));
  await Promise.all([cache.announce(records(...many)), cache.announce(records('last'))]);
  expect(messages).toEqual([
    ['records', 'one', 'two', 'three'],
    ['records', ...many],
    ['slugs', ...many, 'last'],
  ]);
});

test('if the threads do not get a message, all its links are refused, and later ones are not', async () => {
  let isAway = true;
  const changed = async () => {
    if (isAway) throw new Error('away');
  };
  const cache = cacheOf({ changed, created: changed });
  const both = await Promise.allSettled([cache.announce(records('one')), cache.announce(records('two'))]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  await cache.announce(records('three'));
});
