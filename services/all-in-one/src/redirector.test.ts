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

test('a few new links reach the threads whole, many by their slugs alone', async () => {
  const messages: (readonly string[])[] = [];
  const cache = cacheOf({
    changed: async (changed) => void messages.push(['records', ...changed.map(({ slug }) => slug)]),
    created: async (slugs) => void messages.push(['slugs', ...slugs]),
  });
  await cache.announce(records(...many));
  await cache.announce(records(...many, 'last'));
  expect(messages).toEqual([
    ['records', ...many],
    ['slugs', ...many, 'last'],
  ]);
});
