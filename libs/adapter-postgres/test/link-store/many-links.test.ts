import { expect, test } from '@jest/globals';
import { cleared, created, flagged, LINK_STATUSES, OPERATOR, revoked, takenDown } from '@waypost/domain';
import { LIST_SORTS, type ListQuery } from '@waypost/ports';
import {
  asking,
  atNoon,
  byBytes,
  newOwner,
  newSlug,
  openStores,
  PHISHING,
  query,
  SORTED_BY,
  verdict,
} from '../links-under-test.ts';

async function open() {
  const stores = await openStores(1_000_000);
  return { ...stores, ownerId: await newOwner(stores) };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** The same on every run. */
function dice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % sides;
  };
}

const WORDS = ['wiki', 'Straße', 'a_b%c', 'ÄÖ', 'docs'];
const destination = (n: number, i: number) => `https://site${n % 7}.example/${WORDS[n % WORDS.length]}/${i}`;

async function importOld({ imports, ownerId }: Opened, count: number, roll: (sides: number) => number) {
  await imports.store(
    Array.from({ length: count }, (_, i) => {
      const from = { slug: newSlug('old'), ownerId, destinationUrl: destination(roll(100), i), threatType: null };
      const tags = roll(2) === 0 ? ['old'] : [];
      const made = created({ ...from, tags, scanGeneration: 'g1' }, atNoon(0), atNoon(-roll(1e9)));
      return { ...made, verdict: verdict(from.destinationUrl), days: [] };
    }),
  );
}

/** As another version of this service left them. */
async function insertMany({ db, ownerId }: Opened, count: number, stem = 'many') {
  await db.query(
    `INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, scanned_at, scan_generation, version)
     SELECT $4 || '-' || i, $1, 'https://many.example/' || i % 1000 || '/' || i, CASE WHEN i % 3 = 0 THEN 'revoked' ELSE 'active' END,
       CASE WHEN i % 2 = 0 THEN '{many,red}'::text[] ELSE '{many}' END, made, made, made, 'g1', 1
     FROM generate_series(1, $2::integer) AS i, LATERAL (SELECT $3::timestamptz + i % 100 * interval '1 second' AS made) AS t`,
    [ownerId, count, atNoon(0), stem],
  );
}

test('after a random walk of changes, every list is what a plain filter and sort of all links gives', async () => {
  const opened = await open();
  const { db, links, ownerId, personalData } = opened;
  const roll = dice(7);
  const create = (count: number) =>
    links.create(
      asking(
        ownerId,
        ...Array.from({ length: count }, (_, i) => ({
          slug: newSlug(['Z', 'a', 'B'][roll(3)]),
          url: destination(roll(100), i),
          tags: ['red', 'blue', 'Grün'].filter(() => roll(3) === 0),
          ...(roll(20) === 0 ? { verdict: PHISHING } : {}),
        })),
      ),
      atNoon(roll(1e6)),
    );
  for (let i = 0; i < 8; i++) await create(1 + roll(500));
  await importOld(opened, 300, roll);
  await insertMany(opened, 7_600);
  await Promise.all(Array.from({ length: 20 }, () => create(1)));
  const slugs = (await db.query('SELECT slug FROM links ORDER BY slug')) as { slug: string }[];
  for (let i = 0; i < 80; i++) {
    const { slug } = slugs[roll(slugs.length)]!;
    const at = atNoon(roll(2e6));
    const reason = { kind: 'review', decision: 'clear', reason: 'r', at, by: OPERATOR } as const;
    const found = { threatType: 'spam', reason: 'spam' } as const;
    await links.update(
      slug,
      (link) => {
        if (link.status === 'revoked') return undefined;
        if (link.status === 'flagged') return cleared(link, at);
        return [
          revoked(link, at),
          flagged(link, { ...found, reasons: [], generation: 'g2' }, at),
          takenDown(link, found, at),
        ][roll(3)];
      },
      roll(2) === 0 ? reason : undefined,
    );
  }

  const all = (await links.list(ownerId, query())).total;
  expect(all).toBe(slugs.length);
  const every = await personalData.links(ownerId, undefined, all + 1);

  const fold = (text: string) => text.toLowerCase();
  const filters: Partial<ListQuery>[] = [
    {},
    ...LINK_STATUSES.map((status) => ({ status })),
    { tags: ['red'] },
    // at the near end, then not
    { tags: ['blue'], sort: 'created_at', order: 'desc', limit: 5 },
    { tags: ['blue'], sort: 'created_at', order: 'asc', limit: 5 },
    { tags: ['red'], sort: 'updated_at', order: 'asc', limit: 5 },
    { tags: ['Grün', 'blue'] },
    { tags: ['red'], status: 'flagged' },
    { tags: ['none'] },
    { tags: ['many', 'red'] },
    { search: 'many', tags: ['red'] },
    { search: 'many.example/5', status: 'revoked' },
    { search: 'MANY.ex', status: 'active' },
    { search: 'HTTPS', status: 'active' },
    ...['WIKI', 'straße', 'a_b%c', 'e', 'https://site', 'site3.example/', '/77', 'z-', 'nowhere'].map((search) => ({
      search,
    })),
    { search: 'site3', status: 'active' },
    { search: 'example', status: 'active', tags: ['old'] },
  ];
  for (const filter of filters) {
    const matching = every.filter(
      ({ status, tags, slug, destinationUrl }) =>
        (filter.status ?? status) === status &&
        (filter.tags ?? []).every((tag) => tags.includes(tag)) &&
        [slug, destinationUrl].some((text) => fold(text).includes(fold(filter.search ?? ''))),
    );
    const { limit = 50 } = filter;
    const sorts = filter.sort === undefined ? [LIST_SORTS[roll(5)]!, LIST_SORTS[roll(5)]!] : [filter.sort];
    for (const sort of new Set([...(filter === filters[0] ? LIST_SORTS : []), ...sorts])) {
      const field = SORTED_BY[sort];
      const order = filter.order ?? (roll(2) === 0 ? 'asc' : 'desc');
      const sign = order === 'asc' ? 1 : -1;
      const sorted = matching.toSorted((a, b) => sign * byBytes(field(a), field(b)) || byBytes(a.slug, b.slug));
      const last = Math.max(1, Math.ceil(sorted.length / limit));
      for (const page of new Set([1, 1 + roll(last), last, last + 1])) {
        const found = await links.list(ownerId, query({ ...filter, sort, order, page, limit }));
        expect([filter, sort, order, page, found.total, found.links.map(({ slug }) => slug)]).toEqual([
          ...[filter, sort, order, page, sorted.length],
          sorted.slice((page - 1) * limit, page * limit).map(({ slug }) => slug),
        ]);
      }
    }
  }
  expect((await links.facets(ownerId)).statuses).toEqual({
    ...{ active: 0, flagged: 0, revoked: 0 },
    ...Object.fromEntries(
      LINK_STATUSES.map((status) => [status, every.filter((link) => link.status === status).length]),
    ),
  });
});
