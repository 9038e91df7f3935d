import { expect, test } from '@jest/globals';
import { emptyDatabase } from '@waypost/test-support/database';
import { postgresScannedLinks } from './scanned-links.sql.ts';

const db = await emptyDatabase();
const links = postgresScannedLinks(() => db);
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

let serial = 0;
/** Returns a key that no other test uses, because the tests share one table. */
const newKey = () => `-${1_000_000 + serial++}`;
const newLink = (...keys: string[]) => ({
  slug: `slug-${serial++}`,
  destinationUrl: `https://example.com/Ä?q=${serial}`,
  keys,
  flagged: false,
});
async function filed(...keys: string[]) {
  const link = newLink(...keys);
  await links.file([link]);
  return link;
}
const matching = async (keys: readonly string[], page = { after: '', limit: 100 }) =>
  (await links.matching(keys, page)).map(({ slug }) => slug);
const keyRows = async () => (await db.query('SELECT FROM scanner_keys')).length;

test('finds a link by each of its keys, once, with its destination', async () => {
  const [one, two] = [newKey(), newKey()];
  const { slug, destinationUrl } = await filed(one, two);
  for (const call of [[one], [two], [one, two], [two, newKey()]]) {
    expect(await links.matching(call, { after: '', limit: 10 })).toEqual([{ slug, destinationUrl }]);
  }
  expect(await matching([newKey()])).toEqual([]);
  expect(await matching([])).toEqual([]);
});

test('files links under other keys, and leaves no old key', async () => {
  const [current, old, fresh] = [newKey(), newKey(), newKey()];
  const one = await filed(current, old);
  const other = await filed(old);
  const before = await keyRows();
  await links.refile([
    { slug: one.slug, keys: [current, fresh, fresh] },
    { slug: other.slug, keys: [old] },
    { slug: 'unknown', keys: [fresh] },
  ]);
  expect(await matching([current])).toEqual([one.slug]);
  expect(await matching([fresh])).toEqual([one.slug]);
  expect(await matching([old])).toEqual([other.slug]);
  expect(await keyRows()).toBe(before);
  await links.drop([one.slug, other.slug]);
  expect(await keyRows()).toBe(before - 3);
});

test('distinguishes all 64 bits of a key', async () => {
  const extremes = ['-9223372036854775808', '9223372036854775807', '0', '-1', '9007199254740993'];
  for (const extreme of extremes) {
    const { slug } = await filed(extreme);
    expect(await matching([extreme])).toEqual([slug]);
  }
  expect(await matching(['9007199254740992'])).toEqual([]);
});

test('pages through all matches, returns each once, and sorts them by bytes', async () => {
  const key = newKey();
  const batch = ['b', 'B', 'a_', 'a-', 'a', 'Z', 'z', '1'].map((first) => {
    const link = newLink(key, newKey());
    return { ...link, slug: `${first}${link.slug}` };
  });
  await links.file(batch);
  const seen: string[] = [];
  for (;;) {
    const page = await matching([key], { after: seen.at(-1) ?? '', limit: 3 });
    if (page.length === 0) break;
    expect(page.length).toBeLessThanOrEqual(3);
    seen.push(...page);
  }
  expect(seen).toEqual(batch.map(({ slug }) => slug).toSorted(byBytes));
});

test('files a link once, however often and however concurrently it is requested', async () => {
  const key = newKey();
  const batch = [newLink(key), newLink(key)];
  const before = await keyRows();
  await Promise.all([links.file(batch), links.file(batch), links.file(batch)]);
  await links.file([{ ...batch[0]!, keys: [newKey()] }]);
  expect(await matching([key])).toEqual(batch.map(({ slug }) => slug).toSorted(byBytes));
  expect(await keyRows()).toBe(before + 2);
});

test('keeps a flagged link apart from the active ones, with its keys, until it is active again', async () => {
  const key = newKey();
  const link = await filed(key);
  const before = await keyRows();
  const page = { after: '', limit: 10 };
  const flagged = async () => (await links.matching([key], page, 'flagged')).map(({ slug }) => slug);
  for (let twice = 0; twice < 2; twice++) await links.file([{ ...link, flagged: true }]);
  expect([await matching([key]), await flagged()]).toEqual([[], [link.slug]]);
  expect(await links.find([link.slug])).toEqual([]);
  const all = await links.all({ after: '', limit: 10_000 });
  expect(all.filter(({ slug }) => slug === link.slug)).toMatchObject([{ flagged: true }]);
  await links.file([link]);
  expect([await matching([key]), await flagged()]).toEqual([[link.slug], []]);
  expect(await links.find([link.slug, 'never-filed'])).toEqual([
    { slug: link.slug, destinationUrl: link.destinationUrl },
  ]);
  expect(await keyRows()).toBe(before);
});

test('removes only the given link with its keys, and can file it again', async () => {
  const [shared, own] = [newKey(), newKey()];
  const [current, before] = [await filed(shared), await keyRows()];
  const gone = await filed(shared, own);
  for (let twice = 0; twice < 2; twice++) await links.drop([gone.slug, 'never-filed']);
  expect(await matching([shared, own])).toEqual([current.slug]);
  expect(await keyRows()).toBe(before);
  await links.file([gone]);
  expect(await matching([own])).toEqual([gone.slug]);
});

test('pages through every filed link, including those without keys', async () => {
  const bare = await filed();
  const all = async (page: { after: string; limit: number }) => (await links.all(page)).map(({ slug }) => slug);
  const seen: string[] = [];
  for (;;) {
    const page = await all({ after: seen.at(-1) ?? '', limit: 4 });
    if (page.length === 0) break;
    seen.push(...page);
  }
  expect(seen).toContain(bare.slug);
  expect(seen).toEqual([...new Set(seen)].toSorted(byBytes));
  expect(seen).toEqual(await all({ after: '', limit: 10_000 }));
});
