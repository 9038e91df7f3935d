import { beforeEach, expect, test } from '@jest/globals';
import { emptyDatabase } from '@waypost/test-support/database';
import type { DeepScanQueue } from './deep-scan-queue.port.ts';
import { postgresDeepScanQueue } from './deep-scan-queue.sql.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);
const PLENTY = { limit: 100, busySites: [], leaseMs: 60_000 };

const db = await emptyDatabase();
const queue = postgresDeepScanQueue(() => db);
beforeEach(() => db.query('TRUNCATE deep_scans'));

const link = (slug: string, site = `${slug}.example`) => ({ slug, destinationUrl: `https://${site}/${slug}`, site });
const claimed = async (options: Parameters<DeepScanQueue['claim']>[0] = PLENTY, now = NOW) =>
  (await queue.claim(options, now)).map(({ slug }) => slug).sort();

test('returns each queued link once, and again when its lease ends', async () => {
  await queue.add([link('a'), link('b')], 10, NOW);
  await queue.add([{ ...link('a'), destinationUrl: 'https://other.example/' }], 10, NOW);
  expect(await queue.claim({ ...PLENTY, limit: 1 }, NOW)).toEqual([{ ...link('a'), attempts: 1 }]);
  expect(await claimed()).toEqual(['b']);
  expect(await claimed()).toEqual([]);
  expect(await queue.backlog()).toEqual({ waiting: 2 });
  await queue.drop(['b', 'unknown']);
  expect(await queue.claim(PLENTY, later(60_000))).toEqual([{ ...link('a'), attempts: 2 }]);
});

test('returns one link of each site, and none of a busy site', async () => {
  await queue.add([link('a1', 'a.example'), link('a2', 'a.example'), link('b1', 'b.example')], 10, NOW);
  expect(await claimed({ ...PLENTY, busySites: ['a.example'] })).toEqual(['b1']);
  expect(await claimed()).toHaveLength(1);
  expect(await claimed()).toHaveLength(1);
});

test('returns a postponed link only when it is due', async () => {
  await queue.add([link('a')], 10, NOW);
  await claimed();
  await queue.postpone('a', later(5_000));
  expect(await claimed(PLENTY, later(4_999))).toEqual([]);
  expect(await claimed(PLENTY, later(5_000))).toEqual(['a']);
});

test('returns a link that is postponed because of a busy site only when that site is free', async () => {
  await queue.add([link('a')], 10, NOW);
  await claimed();
  await queue.postpone('a', NOW, 'busy.example');
  expect(await claimed({ ...PLENTY, busySites: ['busy.example'] })).toEqual([]);
  await queue.postpone('a', NOW);
  expect(await claimed({ ...PLENTY, busySites: ['busy.example'] })).toEqual([]);
  expect(await claimed({ ...PLENTY, busySites: ['a.example'] })).toEqual(['a']);
});

test('has room for a limited number of links, and returns those that do not fit', async () => {
  expect(await queue.add([link('a'), link('b'), link('c')], 2, NOW)).toEqual(['c']);
  expect(await queue.add([link('a'), link('d')], 2, NOW)).toEqual(['d']);
  expect(await claimed()).toEqual(['a', 'b']);
});

test('never gives the same link to two scanners that claim at the same time', async () => {
  await queue.add(
    Array.from({ length: 40 }, (_, i) => link(`s${i}`)),
    100,
    NOW,
  );
  const all = await Promise.all(Array.from({ length: 8 }, () => claimed({ ...PLENTY, limit: 10 })));
  const slugs = all.flat();
  expect(new Set(slugs).size).toBe(slugs.length);
  expect(slugs.length).toBeGreaterThanOrEqual(10);
});
