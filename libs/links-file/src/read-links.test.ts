import { describe, expect, test } from '@jest/globals';
import type { Link } from '@waypost/sdk';
import fc from 'fast-check';
import { csv, EXPORT_FIELDS, exportRow, readLinks, textOf } from './index.ts';

const URL_A = 'https://www.wikipedia.org/wiki/A';
const linksOf = (text: string) => readLinks(text).links;
const A = { destination_url: URL_A, custom_slug: 'promo-a' };

describe('a list with two columns', () => {
  test.each([
    ['a comma and a space', `${URL_A}, promo-a\n`],
    ['a semicolon and spaces', `${URL_A};  promo-a \r\n`],
    ['a tab', `${URL_A}\tpromo-a`],
    ['quotes', `"${URL_A}","promo-a"`],
    ['empty cells at the end', `${URL_A}, promo-a,,`],
    ['a header', `destination_url,custom_slug\n${URL_A},promo-a\n`],
    ['a header in other words', `url,slug\n${URL_A},promo-a\n`],
    ['a header of another program', `Short link;Destination URL\npromo-a;${URL_A}\n`],
    ['a header after comments', `# of May\n\nsep=\t\nLong URL\tBack-half\n${URL_A}\tpromo-a\n`],
    ['empty columns at the right', `destination_url,custom_slug,tags,,,\n${URL_A},promo-a,,,,\n,,,,,\n`],
  ])('is read as URL and slug: %s', (_what, text) => expect(linksOf(text)).toEqual([A]));

  test.each([
    ['a comma', `${URL_A},promo-a\n`, 'line 1, "promo-a" may be'],
    ['a semicolon', `https://a.example/\n\n${URL_A};promo-a\n`, 'line 3, "promo-a" may be'],
    ['a comma in the query', `${URL_A}?a=1,promo-a`, 'line 1, "promo-a" may be'],
    ['a space', `${URL_A} promo-a`, 'line 1, "promo-a" may be'],
    ['a slug before the URL', `promo-a,${URL_A}`, 'begin the list with the header'],
    ['a short link before the URL', `https://go.example/promo-a,${URL_A}`, 'begin the list with the header'],
    ['the URL as the second value', `promo-a, ${URL_A}`, 'the second value is a URL'],
    ['a header that names no destination', `Kurzlink;Ziel\npromo-a;${URL_A}`, 'begin the list with the header'],
    ['another separator than the header', `url,slug\n${URL_A};promo-a`, 'line 2, "promo-a" may be'],
    [
      'an unknown column',
      `url,owner\n${URL_A},old`,
      'column "owner". Its columns may be destination_url, custom_slug, tags',
    ],
    ['two columns of one field', `url,slug,alias\n${URL_A},a,b`, '"slug" and "alias" both stand for custom_slug'],
    ['more cells than the header', `url\n${URL_A},promo-a`, 'line 2, there are 2 values, but the header has 1'],
    ['more values than columns', `${URL_A}, promo-a, spring, print`, 'line 1, there are more values than'],
    ['an open quote', `#\nurl,slug\n"${URL_A},promo-a`, 'quotes of line 3'],
    ['a quote inside a value', `${URL_A},"promo`, 'quotes of line 1'],
  ])('is refused with the way to write it: %s', (_what, text, words) => expect(() => readLinks(text)).toThrow(words));

  test('never becomes one URL without a word', () => {
    const url = fc.webUrl({ withQueryParameters: true, withFragments: true }).filter((each) => !/[,;]$/.test(each));
    const slug = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{2,20}$/);
    const separator = fc.constantFrom(',', ';', '\t', ' ', ', ', '; ', ' ,', ',,');
    fc.assert(
      fc.property(url, slug, separator, (url, slug, separator) => {
        try {
          expect(linksOf(`${url}${separator}${slug}`)).toEqual([{ destination_url: url, custom_slug: slug }]);
        } catch (error) {
          expect(error).toMatchObject({ name: 'LinksFileError' });
        }
      }),
    );
  });
});

test.each([
  'https://a.example/a,b.html',
  'https://a.example/?at=51.5,-0.12',
  'https://a.example/?at=1,22,333.0',
  'https://a.example/;jsessionid=1',
  'https://a.example/?a=1&amp;b=2',
  '"https://a.example/a,b"',
  'destination_url\n"https://a.example/a;b"',
])('a URL may hold a separator: %s', (text) => {
  expect(linksOf(text)).toEqual([{ destination_url: text.split('\n').at(-1)!.replaceAll('"', '') }]);
});

test('campaign parameters become part of the destination, from columns and from JSON', () => {
  const url = `${URL_A}?a=1&utm_source=old#top`;
  const { links, replaced } = readLinks(
    `url,utm_source,UTM Campaign,utm_term,title\n${url},mail,Frühling & mehr,,Menu\n${URL_A},,,,\n,mail,,,Empty\n`,
  );
  const built = `${URL_A}?a=1&utm_source=mail&utm_campaign=Fr%C3%BChling%20%26%20mehr#top`;
  expect(links).toEqual([
    { destination_url: built, title: 'Menu' },
    { destination_url: URL_A },
    { destination_url: '', title: 'Empty' },
  ]);
  expect(replaced).toEqual(['utm_source']);
  const json = { destination_url: url, utm_source: 'mail', utm_campaign: 'Frühling & mehr' };
  expect(readLinks(JSON.stringify([json, { ...json, destination_url: 1 }]))).toMatchObject({
    links: [{ destination_url: built }, { ...json, destination_url: 1 }],
    replaced: ['utm_source'],
  });
});

test('places count the lines of the file, also after a cell of several lines', () => {
  const list = readLinks(`# list\r\nurl,tags\r\n${URL_A},"a\r\nb"\r\n\r\n${URL_A},c\r\n`);
  expect(list.places).toEqual(['line 3', 'line 6']);
});

test("Excel's Unicode text is read", () => {
  const bytes = Buffer.from(`\ufeffurl\tslug\r\nhttps://a.example/ä\tpromo-a\r\n`, 'utf16le');
  expect(linksOf(textOf(bytes))).toEqual([{ destination_url: 'https://a.example/ä', custom_slug: 'promo-a' }]);
  expect(() => textOf(Buffer.from([0xe4, 0x2c]))).toThrow('must be UTF-8');
});

describe('an export', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const oneLine = text.map((each) => each.replace(/\p{Cc}/gu, '').trim()).filter((each) => each !== '');
  const link = fc.record({
    slug: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{2,49}$/),
    destination_url: fc.tuple(fc.webUrl(), oneLine).map(([url, end]) => `${url}?${end}`),
    status: fc.constantFrom('active', 'flagged', 'revoked'),
    threat_type: fc.constantFrom(null, 'phishing'),
    tags: fc.array(oneLine, { maxLength: 3 }),
    title: fc.option(oneLine),
    note: fc.option(fc.array(oneLine, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n'))),
    created_at: fc.constant('2026-11-21T12:30:05.123Z'),
    updated_at: fc.constant('2026-11-21T12:30:05.123Z'),
    revoked_at: fc.constant(null),
    take_down_reason: fc.constant(null),
    ends_at: fc.constantFrom(null, '2027-06-01T18:00:00.000Z'),
  }) as fc.Arbitrary<Pick<Link, never>> as fc.Arbitrary<Link>;
  const FORMATS: Readonly<Record<string, (links: readonly Link[]) => string>> = {
    CSV: (links) =>
      csv([[...EXPORT_FIELDS, 'clicks_by_day'], ...links.map((each) => [...exportRow(each), '2026-11-01=5'])]),
    'JSON lines': (links) => links.map((each) => `${JSON.stringify({ ...each, clicks_by_day: '' })}\n`).join(''),
    'a page of links': (links) => JSON.stringify({ data: links, total: links.length }),
  };

  test.each(Object.entries(FORMATS))('makes the same active links again, and counts the others: %s', (_name, write) => {
    fc.assert(
      fc.property(fc.array(link, { maxLength: 8 }), link, (links, one) => {
        const all = [...links, { ...one, status: 'active' as const }];
        const active = all.filter(({ status }) => status === 'active');
        const read = readLinks(write(all));
        expect(read.links.map((each) => ({ tags: [], title: null, note: null, ends_at: null, ...each }))).toEqual(
          active.map(({ slug, destination_url, tags, title, note, ends_at }) => ({
            destination_url,
            custom_slug: slug,
            ...{ tags, title, note, ends_at },
          })),
        );
        expect(read.leftOut).toBe(all.length - active.length);
        expect(read.ignored).toContain('status');
      }),
    );
  });

  test('of links that are over is refused, and so is a state that no export has', () => {
    const header = 'slug,destination_url,status';
    expect(() => readLinks(`${header}\npromo-a,${URL_A},revoked`)).toThrow(
      'All links in the list are revoked or flagged',
    );
    expect(() => readLinks(`${header}\npromo-a,${URL_A},done`)).toThrow(
      'line 2, the status must be active, flagged or revoked, not "done"',
    );
  });
});
