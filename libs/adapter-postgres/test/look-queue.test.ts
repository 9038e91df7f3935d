import { beforeEach, expect, test } from '@jest/globals';
import { postgresLookQueue, postgresScannedLinks } from '../src/index.ts';
import { emptyDatabase } from './empty-database.ts';

const db = await emptyDatabase();
const looks = postgresLookQueue(() => db);
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
  (await looks.take(at(minutes), limit, at(minutes + LEASE))).map(({ slug }) => slug).sort();

test('gives what is due once, and again when nobody finished it', async () => {
  await looks.add(['a', 'b'], at(0));
  await looks.add(['c'], at(5));
  expect(await looks.take(at(1), 10, at(1 + LEASE))).toEqual(
    expect.arrayContaining([
      { slug: 'a', destinationUrl: 'https://a.example/', flagged: false, tries: 1 },
      { slug: 'b', destinationUrl: 'https://b.example/', flagged: false, tries: 1 },
    ]),
  );
  expect(await take(2)).toEqual([]);
  await looks.finish(['a'], at(1 + LEASE));
  expect(await looks.take(at(12), 10, at(13))).toEqual(
    expect.arrayContaining([
      { slug: 'b', destinationUrl: 'https://b.example/', flagged: false, tries: 2 },
      { slug: 'c', destinationUrl: 'https://c.example/', flagged: true, tries: 1 },
    ]),
  );
});

test('two who take at once share the work', async () => {
  await looks.add(['a', 'b', 'c'], at(0));
  const [one, two] = await Promise.all([take(1, 2), take(1, 2)]);
  const taken = [...one!, ...two!];
  expect(taken.length).toBeGreaterThan(0);
  expect(new Set(taken).size).toBe(taken.length);
});

test('keeps the earlier of two times, and the time that it was put back to', async () => {
  await looks.add(['a'], at(5));
  await looks.add(['a', 'a'], at(1));
  await looks.add(['a'], at(9));
  expect(await take(2)).toEqual(['a']);
  await looks.putBack(['a'], at(2 + LEASE), at(60));
  expect(await take(59)).toEqual([]);
  expect(await take(61)).toEqual(['a']);
});

test('a link that is added during its look is looked at again', async () => {
  await looks.add(['a', 'b'], at(0));
  await take(1);
  await looks.add(['a', 'b'], at(2));
  await looks.finish(['a'], at(1 + LEASE));
  await looks.putBack(['b'], at(1 + LEASE), at(60));
  expect(await take(2)).toEqual(['a', 'b']);
});

test('forgets links that are not filed', async () => {
  await looks.add(['a', 'gone'], at(0));
  expect(await take(1)).toEqual(['a']);
  expect(await db.query(`SELECT slug FROM scanner_looks`)).toEqual([{ slug: 'a' }]);
});

test('adds a link for a host once until the day is over', async () => {
  const since = (minutes: number) => at(minutes - 24 * 60);
  const add = (hosts: string, minutes: number, slug = 'a') =>
    looks.addForHosts(
      [...hosts].map((letter) => ({ host: `${letter}.example`, slug })),
      at(minutes),
      since(minutes),
    );
  const [one, two] = await Promise.all([add('x', 0, 'a'), add('x', 0, 'b')]);
  expect(one! + two!).toBe(1);
  const first = await take(0);
  expect(first).toEqual([one === 1 ? 'a' : 'b']);
  await looks.finish(first, at(LEASE));
  expect(await add('xyy', 60, 'c')).toBe(1);
  expect(await take(60)).toEqual(['c']);
  expect(await add('xy', 24 * 60 + 1)).toBe(1);
  await add('z', 72 * 60);
  expect(await db.query('SELECT host FROM scanner_hosts')).toEqual([{ host: 'z.example' }]);
});

test('keeps a host free if its link cannot be added', async () => {
  await db.query('ALTER TABLE scanner_looks ADD CONSTRAINT none CHECK (false) NOT VALID');
  const add = () => looks.addForHosts([{ host: 'x.example', slug: 'a' }], at(0), at(-60));
  await expect(add()).rejects.toThrow('none');
  await db.query('ALTER TABLE scanner_looks DROP CONSTRAINT none');
  expect(await add()).toBe(1);
});
