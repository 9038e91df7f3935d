import { expect, test } from '@jest/globals';
import { cleared, created, erased, flagged, LINK_STATUSES, OPERATOR, revoked, takenDown } from '@waypost/domain';
import { LIST_SORTS, type ListQuery } from '@waypost/ports';
import type { DataSource } from 'typeorm';
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
  storesOn,
  verdict,
} from '../links-under-test.ts';

/** Everything that can be packed. */
async function packAll({ searchTexts }: Pick<Opened, 'searchTexts'>) {
  while (await searchTexts.pack());
}

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

/** How many links an account has in texts, of small runs and of others, and how many wait to be packed. */
async function packing({ db, ownerId }: Opened) {
  const [found] = await db.query(
    `SELECT unpacked, loose, past,
       (SELECT coalesce(sum(links) FILTER (WHERE t.loose), 0)::int FROM link_texts t WHERE account_id = $1) AS "inLoose",
       (SELECT coalesce(sum(links) FILTER (WHERE NOT t.loose), 0)::int FROM link_texts t WHERE account_id = $1) AS "inRuns"
     FROM link_counts WHERE account_id = $1`,
    [ownerId],
  );
  return found;
}

/** What the counters say, and what they must say. */
async function counted(db: DataSource) {
  const ask = (sql: string) => db.query(sql) as Promise<unknown[]>;
  const statuses = LINK_STATUSES.map(
    (status) => `count(*) FILTER (WHERE status = '${status}')::int AS ${status}`,
  ).join();
  return {
    counters: [
      await ask('SELECT account_id, active, flagged, revoked FROM link_counts ORDER BY 1'),
      await ask(
        'SELECT account_id, tag, active, flagged, revoked FROM link_tag_counts WHERE active + flagged + revoked > 0 ORDER BY 1, 2',
      ),
      await ask(`SELECT account_id, (SELECT unpacked FROM link_counts c WHERE c.account_id = t.account_id) + sum(links)::int AS texts
                 FROM link_texts t GROUP BY 1 ORDER BY 1`),
    ],
    links: [
      await ask(`SELECT owner_id AS account_id, ${statuses} FROM links GROUP BY 1 ORDER BY 1`),
      await ask(
        `SELECT owner_id AS account_id, tag COLLATE "C" AS tag, ${statuses} FROM links, unnest(tags) AS tag GROUP BY 1, 2 ORDER BY 1, 2`,
      ),
      await ask('SELECT owner_id AS account_id, count(*)::int AS texts FROM links GROUP BY 1 ORDER BY 1'),
    ],
  };
}

test('after a random walk of changes, every list is what a plain filter and sort of all links gives, and every counter is right', async () => {
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
  await packAll(opened);
  await insertMany(opened, 7_600);
  await packAll(opened);
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

  const { counters, links: real } = await counted(db);
  expect(counters).toEqual(real);
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

test('a deleted account leaves neither counters nor texts', async () => {
  const opened = await open();
  const { db, links, deletions, ownerId } = opened;
  await links.create(asking(ownerId, { tags: ['secret'] }, { url: 'https://example.com/secret' }), atNoon(0));
  await importOld(opened, 3, dice(1));
  await deletions.delete({ id: ownerId }, OPERATOR, atNoon(1));
  await deletions.eraseLists(ownerId);
  await deletions.eraseLinks(ownerId, { after: undefined, limit: 100 }, (link) => erased(link, atNoon(2)));
  for (const table of ['link_counts', 'link_tag_counts', 'link_texts'])
    expect([table, await db.query(`SELECT * FROM ${table}`)]).toEqual([table, []]);
});

test('few new links wait, imported ones with a past do not, and small runs are sorted together once they are many', async () => {
  const opened = await open();
  await insertMany(opened, 1_023);
  await packAll(opened);
  expect(await packing(opened)).toMatchObject({ unpacked: 1_023, inLoose: 0, inRuns: 0 });
  await importOld(opened, 1, dice(1));
  expect(await packing(opened)).toMatchObject({ unpacked: 1_024, past: true });
  await packAll(opened);
  expect(await packing(opened)).toEqual({ unpacked: 0, past: false, loose: 1_024, inLoose: 1_024, inRuns: 0 });
  await importOld(opened, 1, dice(1));
  await packAll(opened);
  expect(await packing(opened)).toEqual({ unpacked: 0, past: false, loose: 1_025, inLoose: 1_025, inRuns: 0 });
  await insertMany(opened, 15_359, 'more');
  await packAll(opened);
  expect(await packing(opened)).toEqual({ unpacked: 0, past: false, loose: 0, inLoose: 0, inRuns: 16_384 });
  await insertMany(opened, 20_000, 'most');
  await packAll(opened);
  expect(await packing(opened)).toEqual({ unpacked: 0, past: false, loose: 3_616, inLoose: 3_616, inRuns: 32_768 });
  const found = async (search: string) => (await opened.links.list(opened.ownerId, query({ search }))).total;
  expect([await found('MANY.example'), await found('most-'), await found('old-'), await found('e/777/')]).toEqual([
    36_382, 20_000, 2, 36,
  ]);
});

test('links that the version before packed are found before and after they are sorted together', async () => {
  const opened = await open();
  const { db, links, ownerId } = opened;
  await insertMany(opened, 16_400);
  await db.query("SELECT pack_links($1, 0, (SELECT max(id) FROM links), '-infinity')", [ownerId]);
  await db.query(
    `UPDATE link_counts SET packed_to = (SELECT max(id) FROM links), unpacked = 0, unpacked_since = 'infinity', loose = NULL`,
  );
  const found = async () => (await links.list(ownerId, query({ search: 'e/777/' }))).total;
  expect(await found()).toBe(16);
  await packAll(opened);
  expect(await packing(opened)).toMatchObject({ unpacked: 0, loose: 16, inLoose: 16, inRuns: 16_384 });
  expect(await found()).toBe(16);
});

test('links that come while others are packed are found once each, and two processes pack nothing twice', async () => {
  const opened = await open();
  const { db, links, ownerId } = opened;
  const replica = storesOn(db);
  let creating = true;
  const packs = [opened, replica].map(async (store) => {
    while (creating) await store.searchTexts.pack();
  });
  let created = 0;
  const clients = Array.from({ length: 4 }, async (_, client) => {
    for (let i = 0; i < 12; i++, created += 400) {
      const wanted = Array.from({ length: 400 }, (_, n) => ({ slug: newSlug(`c${client}`), url: destination(n, i) }));
      await links.create(asking(ownerId, ...wanted), atNoon(i));
      expect((await links.list(ownerId, query({ search: `c${client}-` }))).total).toBe((i + 1) * 400);
    }
  });
  await Promise.all(clients).finally(() => {
    creating = false;
  });
  await Promise.all(packs);
  const { unpacked, inLoose, inRuns } = await packing(opened);
  expect(inLoose + inRuns).toBeGreaterThan(1_000);
  expect(unpacked + inLoose + inRuns).toBe(created);
  const { counters, links: real } = await counted(db);
  expect(counters).toEqual(real);
});

test('nothing of an account is packed once it is deleted', async () => {
  const opened = await open();
  const { db, deletions, ownerId } = opened;
  await insertMany(opened, 1_100);
  await deletions.delete({ id: ownerId }, OPERATOR, atNoon(1));
  // As an import that went on leaves it.
  await importOld(opened, 1, dice(1));
  expect(await opened.searchTexts.pack()).toBe(false);
  expect(await db.query('SELECT * FROM link_texts')).toEqual([]);
});
