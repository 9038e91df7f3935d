import { beforeEach, expect, test } from '@jest/globals';
import { emptyDatabase } from '@waypost/test-support/database';
import { postgresRecheckQueue } from './recheck-queue.sql.ts';
import { postgresScannedLinks } from './scanned-links.sql.ts';

const db = await emptyDatabase();
const rechecks = postgresRecheckQueue(() => db);
const links = postgresScannedLinks(() => db);
beforeEach(async () => {
  await db.query('DELETE FROM scanner_looks; DELETE FROM scanner_hosts; DELETE FROM scanner_links');
  const all = ['a', 'b', 'c'].map((slug) => ({ slug, destinationUrl: `https://${slug}.example/`, keys: [] }));
  await links.file(all.map((link) => ({ ...link, flagged: link.slug === 'c' })));
});

const MINUTE = 60_000;
const at = (minutes: number) => new Date(Date.parse('2026-11-22T12:00:00.000Z') + minutes * MINUTE);
const LEASE = 10;
const take = async (minutes: number, limit = 10) =>
  (await rechecks.take(at(minutes), limit, at(minutes + LEASE))).map(({ slug }) => slug).sort();

test('returns each due link once, and again if nobody finished it', async () => {
  await rechecks.add(['a', 'b'], at(0));
  await rechecks.add(['c'], at(5));
  expect(await rechecks.take(at(1), 10, at(1 + LEASE))).toEqual(
    expect.arrayContaining([
      { slug: 'a', destinationUrl: 'https://a.example/', flagged: false, tries: 1 },
      { slug: 'b', destinationUrl: 'https://b.example/', flagged: false, tries: 1 },
    ]),
  );
  expect(await take(2)).toEqual([]);
  await rechecks.finish(['a'], at(1 + LEASE));
  expect(await rechecks.take(at(12), 10, at(13))).toEqual(
    expect.arrayContaining([
      { slug: 'b', destinationUrl: 'https://b.example/', flagged: false, tries: 2 },
      { slug: 'c', destinationUrl: 'https://c.example/', flagged: true, tries: 1 },
    ]),
  );
});

test('two scanners that take links at the same time share the work', async () => {
  await rechecks.add(['a', 'b', 'c'], at(0));
  const [one, two] = await Promise.all([take(1, 2), take(1, 2)]);
  const taken = [...one!, ...two!];
  expect(taken.length).toBeGreaterThan(0);
  expect(new Set(taken).size).toBe(taken.length);
});

test('keeps the earlier of two due times, and keeps a postponed time', async () => {
  await rechecks.add(['a'], at(5));
  await rechecks.add(['a', 'a'], at(1));
  await rechecks.add(['a'], at(9));
  expect(await take(2)).toEqual(['a']);
  await rechecks.putBack(['a'], at(2 + LEASE), at(60));
  expect(await take(59)).toEqual([]);
  expect(await take(61)).toEqual(['a']);
});

test('a link that is added while it is checked is checked again', async () => {
  await rechecks.add(['a', 'b'], at(0));
  await take(1);
  await rechecks.add(['a', 'b'], at(2));
  await rechecks.finish(['a'], at(1 + LEASE));
  await rechecks.putBack(['b'], at(1 + LEASE), at(60));
  expect(await take(2)).toEqual(['a', 'b']);
});

test('removes links that are not filed', async () => {
  await rechecks.add(['a', 'gone'], at(0));
  expect(await take(1)).toEqual(['a']);
  expect(await db.query(`SELECT slug FROM scanner_looks`)).toEqual([{ slug: 'a' }]);
});

test('adds only one link for each host per day', async () => {
  const since = (minutes: number) => at(minutes - 24 * 60);
  const add = (hosts: string, minutes: number, slug = 'a') =>
    rechecks.addForHosts(
      [...hosts].map((letter) => ({ host: `${letter}.example`, slug })),
      at(minutes),
      since(minutes),
    );
  const [one, two] = await Promise.all([add('x', 0, 'a'), add('x', 0, 'b')]);
  expect(one! + two!).toBe(1);
  const first = await take(0);
  expect(first).toEqual([one === 1 ? 'a' : 'b']);
  await rechecks.finish(first, at(LEASE));
  expect(await add('xyy', 60, 'c')).toBe(1);
  expect(await take(60)).toEqual(['c']);
  expect(await add('xy', 24 * 60 + 1)).toBe(1);
  await add('z', 72 * 60);
  expect(await db.query('SELECT host FROM scanner_hosts')).toEqual([{ host: 'z.example' }]);
});

test('does not mark a host as used if its link cannot be added', async () => {
  await db.query('ALTER TABLE scanner_looks ADD CONSTRAINT none CHECK (false) NOT VALID');
  const add = () => rechecks.addForHosts([{ host: 'x.example', slug: 'a' }], at(0), at(-60));
  await expect(add()).rejects.toThrow('none');
  await db.query('ALTER TABLE scanner_looks DROP CONSTRAINT none');
  expect(await add()).toBe(1);
});
