import { expect, test } from '@jest/globals';
import { cleared, edited, flagged, LINK_STATUSES, type Link, revoked, takenDown } from '@waypost/domain';
import {
  asking,
  atNoon,
  byBytes,
  NOON,
  newOwner,
  newSlug,
  noted,
  openStores,
  PHISHING,
  query,
} from '../../test/stores.ts';
import { listLinks } from './link-lists.sql.ts';
import { LIST_SORTS, type ListQuery } from './link-store.port.ts';

const store = await openStores(1_000_000);
const { links } = store;

test('a search ignores case in any script and treats no character as a pattern', async () => {
  const ownerId = await newOwner(store);
  const stem = newSlug();
  const urls: Record<string, string> = {
    plain: 'https://example.com/Straße/100%25',
    wild: 'https://example.com/a_b%c\\d',
    greek: 'https://example.com/ΟΔΟΣ/Éclair',
    cyrillic: 'https://пример.example/ПУТЬ',
  };
  const rows = Object.entries(urls).map(([word, url]) => ({ slug: `${word}-${stem}`, url }));
  await links.create(asking(ownerId, ...rows), NOON);
  const words = { title: 'Menü ÄRGER', note: 'First line\nSECOND 50%' };
  await links.update(rows[0]!.slug, (link) => edited(link, words, NOON));
  const totalOf = async (search: string) => {
    const page = await links.list(ownerId, query({ search, sort: 'slug', order: 'asc' }));
    return page.links.map(({ slug }) => slug.split('-')[0]);
  };
  for (const [search, ...expected] of [
    ['PLAIN-', 'plain'],
    [`n-${stem}`, 'plain'],
    ['EXAMPLE', 'cyrillic', 'greek', 'plain', 'wild'],
    ['straße', 'plain'],
    ['éCLAIR', 'greek'],
    ['οδο', 'greek'],
    ['путь', 'cyrillic'],
    ['%', 'plain', 'wild'],
    ['menü ä', 'plain'],
    ['second 50', 'plain'],
    ...['line second', 'ärgerfirst'].map((nothing) => [nothing]),
    ['a_b%c\\d', 'wild'],
    ['_', 'wild'],
    ...['e_ample', 'e%e', '.*', "'"].map((nothing) => [nothing]),
  ])
    expect([search, await totalOf(search!)]).toEqual([search, expected]);
});

/** Returns numbers that are the same on every run. */
function dice(seed: number) {
  let state = seed;
  return (sides: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % sides;
  };
}

const SORTED_BY = {
  created_at: (link: Link) => link.createdAt.toISOString(),
  updated_at: (link: Link) => link.updatedAt.toISOString(),
  slug: (link: Link) => link.slug,
  destination_url: (link: Link) => link.destinationUrl,
  status: (link: Link) => link.status,
  title: (link: Link) => link.title,
  ends_at: (link: Link) => link.endsAt?.toISOString() ?? null,
};

const WORDS = ['wiki', 'Straße', 'a_b%c', 'ÄÖ', 'docs'];

test('after random changes, every list equals a plain filter and sort of all links', async () => {
  const ownerId = await newOwner(store);
  const roll = dice(7);
  const slugs: string[] = [];
  for (let batch = 0; batch < 8; batch++) {
    const rows = Array.from({ length: 1 + roll(150) }, (_, i) => ({
      slug: newSlug(['Z', 'a', 'B'][roll(3)]),
      url: `https://site${roll(7)}.example/${WORDS[roll(WORDS.length)]}/${i}`,
      tags: ['red', 'blue', 'Grün'].filter(() => roll(3) === 0),
      ...(roll(20) === 0 ? { verdict: PHISHING } : {}),
    }));
    await links.create(asking(ownerId, ...rows), atNoon(roll(1e6)));
    slugs.push(...rows.map(({ slug }) => slug));
  }
  for (let i = 0; i < 80; i++) {
    const at = atNoon(roll(2e6));
    const note = { kind: 'review', decision: 'clear', cleared: [], at, audit: noted } as const;
    const isNoted = roll(2) === 0;
    const verdict = { threatType: 'spam', reason: 'spam' } as const;
    const change = (link: Link) => {
      if (link.status === 'revoked') return undefined;
      if (link.status === 'flagged') return cleared(link, at);
      return [
        revoked(link, at),
        flagged(link, { ...verdict, reasons: [], generation: 'g2' }, at),
        takenDown(link, verdict, at),
      ][roll(3)];
    };
    await links.update(slugs[roll(slugs.length)]!, (link) => ({ ...change(link), ...(isNoted ? { note } : {}) }));
  }
  for (const slug of slugs.filter(() => roll(3) === 0)) {
    const words = { title: `${WORDS[roll(WORDS.length)]} ${roll(9)}`, note: roll(2) === 0 ? null : 'Für ALLE\nda' };
    const endsAt = roll(2) === 0 ? { endsAt: atNoon(3e6 + roll(1e6)) } : {};
    await links.update(slug, (link) =>
      edited(link, link.status === 'revoked' ? words : { ...words, ...endsAt }, atNoon(roll(2e6))),
    );
  }
  const every = await store.links.oldest(ownerId, undefined, slugs.length + 1);
  expect(every).toHaveLength(slugs.length);

  const filters: Partial<ListQuery>[] = [
    {},
    ...LINK_STATUSES.map((status) => ({ status })),
    { tags: ['red'] },
    { tags: ['Grün', 'blue'] },
    { tags: ['red'], status: 'flagged' },
    { tags: ['none'] },
    { search: 'HTTPS', status: 'active' },
    ...['WIKI', 'straße', 'a_b%c', 'site3.example/', '/77', 'z-', 'nowhere', 'für alle', 'wiki 3'].map((search) => ({
      search,
    })),
    { search: 'example', status: 'active', tags: ['red'] },
  ];
  const limit = 50;
  for (const filter of filters) {
    const matching = every.filter(
      ({ status, tags, slug, destinationUrl, title, note }) =>
        (filter.status ?? status) === status &&
        (filter.tags ?? []).every((tag) => tags.includes(tag)) &&
        [slug, destinationUrl, title, note]
          .join('\n')
          .toLowerCase()
          .includes((filter.search ?? '').toLowerCase()),
    );
    for (const sort of filter === filters[0]
      ? LIST_SORTS
      : [LIST_SORTS[roll(LIST_SORTS.length)]!, LIST_SORTS[roll(LIST_SORTS.length)]!]) {
      const order = roll(2) === 0 ? 'asc' : 'desc';
      const sign = order === 'asc' ? 1 : -1;
      const field = SORTED_BY[sort];
      const compare = (a: string | null, b: string | null) =>
        a === null || b === null ? Number(a === null) - Number(b === null) : sign * byBytes(a, b);
      const sorted = matching.toSorted((a, b) => compare(field(a), field(b)) || byBytes(a.slug, b.slug));
      const last = Math.max(1, Math.ceil(sorted.length / limit));
      for (const page of new Set([1, 1 + roll(last), last, last + 1])) {
        const result = await links.list(ownerId, query({ ...filter, sort, order, page, limit }));
        expect([filter, sort, order, page, result.total, result.links.map(({ slug }) => slug)]).toEqual([
          ...[filter, sort, order, page, sorted.length],
          sorted.slice((page - 1) * limit, page * limit).map(({ slug }) => slug),
        ]);
      }
    }
  }
  const count = (status: string) => every.filter((link) => link.status === status).length;
  expect((await links.facets(ownerId)).statuses).toEqual(
    Object.fromEntries(LINK_STATUSES.map((status) => [status, count(status)])),
  );
});

test('a list of an account with 20,000 links reads indexes alone, and a search reads each link once', async () => {
  const ownerId = await newOwner(store);
  for (let from = 0; from < 20_000; from += 5_000)
    await store.db.query(
      `INSERT INTO links (slug, owner_id, destination_url, status, tags, title, note, created_at, updated_at, scanned_at, scan_generation, version)
       SELECT 'plan-' || n, $1, 'https://example.org/a/page/of/usual/length/' || n, (ARRAY['active', 'revoked'])[1 + n % 2],
         '{}', repeat('title', 20), repeat('notes', 20), at, at, at, 'g1', 1
       FROM (SELECT n, now() - n * interval '1 second' AS at FROM generate_series($2::integer, $2 + 4999) n) AS numbered`,
      [ownerId, from],
    );
  await store.db.query('VACUUM ANALYZE links');
  const plans: string[] = [];
  const db = new Proxy(store.db, {
    get: (target, name) =>
      name === 'query'
        ? async (text: string, values: unknown[]) => {
            const lines: { 'QUERY PLAN': string }[] = await target.query(`EXPLAIN ${text}`, values);
            plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
            return target.query(text, values);
          }
        : Reflect.get(target, name),
  });
  // What the scans of an account's links read. The links of the page itself are read by `links_slug`.
  const scans = async (fields: Partial<ListQuery>) => {
    await listLinks(db, ownerId, query({ limit: 100, ...fields }));
    const all = plans.pop()!.match(/(?:Seq|Heap|Index|Only) Scan[^\n]* on links\w*/g)!;
    return all.filter((scan) => !scan.startsWith('Index Scan using links_slug '));
  };
  for (const sort of LIST_SORTS)
    for (const order of ['asc', 'desc'] as const)
      for (const status of [{}, { status: 'active' }] as const) {
        const [first, ...others] = await scans({ sort, order, ...status });
        for (const scan of [first, ...others])
          expect([sort, scan]).toEqual([sort, expect.stringMatching(/^Only Scan/)]);
      }
  for (const search of ['nowhere', 'title', 'x']) expect(await scans({ search })).toHaveLength(1);
});
