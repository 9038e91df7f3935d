import { describe, expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { anyLink, DESTINATION, expectError, freshSlug, GENERATED_SLUG, listedUrl, times, visit } from '../support.ts';

const { waypost, api } = product();

const create = (body: unknown) => api('POST', '/api/v1/links', body);

describe('a created link', () => {
  test('gets 201, the whole Link and its short URL', async () => {
    const before = Date.now();
    const { status, headers, body } = await create({ destination_url: DESTINATION });
    expect(status).toBe(201);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({
      link: anyLink({ destination_url: DESTINATION, slug: expect.stringMatching(GENERATED_SLUG) }),
      short_url: expect.stringMatching(new RegExp(`^http://localhost:\\d+/${body.link.slug}$`)),
    });
    expect(new URL(body.short_url).port).toBe(new URL(waypost.redirect).port);
    expect(body.link.updated_at).toBe(body.link.created_at);
    expect(Date.parse(body.link.created_at)).toBeGreaterThanOrEqual(before - 1_000);
    expect(Date.parse(body.link.created_at)).toBeLessThanOrEqual(Date.now() + 1_000);
  });

  test('has the given custom slug, and the given tags in their order', async () => {
    const slug = freshSlug();
    const { status, body } = await create({ destination_url: DESTINATION, custom_slug: slug, tags: ['b', 'a', 'ü'] });
    expect(status).toBe(201);
    expect(body.link).toEqual(anyLink({ slug, tags: ['b', 'a', 'ü'] }));
    expect(body.short_url.endsWith(`/${slug}`)).toBe(true);
  });

  test('has the given title and note, trimmed, as have all that read it', async () => {
    const words = { title: 'Menü 😀', note: 'On the posters.\r\nUntil May.\n\n- red\n' };
    const { status, body } = await create({
      destination_url: DESTINATION,
      title: `\u00a0 ${words.title}\n`,
      note: words.note,
    });
    expect(status).toBe(201);
    expect(body.link).toEqual(anyLink({ ...words, note: words.note.trim(), slug: expect.any(String) }));
    expect((await api('GET', `/api/v1/links/${body.link.slug}`)).body).toEqual(body.link);
  });

  test('treats null for an optional field as absent', async () => {
    const { status, body } = await create({
      destination_url: DESTINATION,
      custom_slug: null,
      tags: null,
      title: null,
      note: null,
    });
    expect(status).toBe(201);
    expect(body.link).toEqual(anyLink({ slug: expect.stringMatching(GENERATED_SLUG), tags: [] }));
  });
});

describe('a custom slug', () => {
  // libs/domain/src/slug.test.ts tests every case of the rule for slugs.
  test.each([
    ['51 characters', 'a'.repeat(51)],
    ['nothing', ''],
    ['a reserved word', 'api'],
    ['a number', 1234],
    ['an object', { toString: 'abcd' }],
  ])('may not have or be %s', async (_what, slug) => {
    expectError(await create({ destination_url: DESTINATION, custom_slug: slug }), 400, ['custom_slug']);
  });

  test('is case-sensitive everywhere: two cases are two links', async () => {
    const slug = freshSlug('CaSe');
    const other = slug.toLowerCase();
    expect((await create({ destination_url: 'https://www.iana.org/1', custom_slug: slug })).status).toBe(201);
    expect((await create({ destination_url: 'https://www.iana.org/2', custom_slug: other })).status).toBe(201);
    expect((await api('GET', `/api/v1/links/${slug}`)).body.destination_url).toBe('https://www.iana.org/1');
    expect((await visit(waypost.redirect, `/${slug}`)).headers.location).toBe('https://www.iana.org/1');
    expect((await visit(waypost.redirect, `/${other}`)).headers.location).toBe('https://www.iana.org/2');
    expect((await visit(waypost.redirect, `/${slug.toUpperCase()}`)).status).toBe(404);
  });
});

describe('a destination', () => {
  const padded = (length: number) => `https://www.wikipedia.org/${'a'.repeat(length - 26)}`;

  test.each([
    ['upper case in scheme and host', 'HTTPS://WWW.Wikipedia.ORG/Path'],
    ['letters beyond ASCII', 'https://bücher.example.com/straße/日本?q=ü#é'],
    ['an encoded line break', 'https://www.wikipedia.org/%0d%0aSet-Cookie:%20a=b'],
    ['markup', 'https://www.wikipedia.org/"><script>alert(1)</script>'],
    ['a space in the query', 'https://www.wikipedia.org/?q=a b'],
    ['dots to be resolved', 'https://www.wikipedia.org/a/../b/./c'],
    ['an invalid escape', 'https://www.wikipedia.org/%zz'],
    ['2,048 bytes', padded(2048)],
  ])('with %s is returned exactly as sent, and Location carries its serialisation', async (_what, url) => {
    const { status, body } = await create({ destination_url: `\t\r\n ${url} \f\n` });
    expect([status, body.link?.destination_url]).toEqual([201, url]);
    const { headers } = await visit(waypost.redirect, `/${body.link.slug}`);
    expect(headers.location).toBe(new URL(url).href);
    expect(headers.location).toMatch(/^[\x21-\x7e]+$/);
    expect(headers['set-cookie']).toBeUndefined();
  });

  // libs/domain/src/destination-url.test.ts and the scanner's hostile-urls.jsonl test every case of the policy.
  test.each([
    ['missing', undefined],
    ['empty', ''],
    ['a javascript URL', 'javascript:alert(1)'],
    ['a private address', 'http://10.0.0.1/'],
    ['2,049 bytes', padded(2049)],
    ['a megabyte', `https://www.wikipedia.org/${'a'.repeat(1_000_000)}`],
    ['this very service', () => `${waypost.redirect}/abc`],
    ['the name of this service', () => waypost.api.replace('127.0.0.1', 'localhost')],
  ])('that is %s is refused', async (_what, url) => {
    const destination_url = typeof url === 'function' ? url() : url;
    expectError(await create({ destination_url }), 400, ['destination_url']);
  });
});

describe('a title or note', () => {
  test.each<[what: string, fields: object, field: string]>([
    ['nothing', { title: '' }, 'title'],
    ['white space', { note: ' \n ' }, 'note'],
    ['201 code points', { title: '😀'.repeat(201) }, 'title'],
    ['2,001 code points', { note: '😀'.repeat(2_001) }, 'note'],
    ['two lines of a title', { title: 'a\nb' }, 'title'],
    ['a tab', { note: 'a\tb' }, 'note'],
    ['a direction mark', { note: 'photo\u202egpj.exe' }, 'note'],
    ['a line separator', { note: 'a\u2028b' }, 'note'],
    ['a lone surrogate', { title: 'a\udc00' }, 'title'],
    ['a number', { title: 7 }, 'title'],
    ['a list', { note: ['a'] }, 'note'],
  ])('may not be %s', async (_what, fields, field) => {
    expectError(await create({ destination_url: DESTINATION, ...fields }), 400, [field]);
  });

  test('may have 200 and 2,000 code points', async () => {
    const words = { title: '😀'.repeat(200), note: '😀'.repeat(2_000) };
    expect((await create({ destination_url: DESTINATION, ...words })).body.link).toMatchObject(words);
  });
});

describe('tags', () => {
  const tagged = (tags: unknown) => create({ destination_url: DESTINATION, tags });

  test.each([
    ['ten', times(10, (i) => `tag ${i}`), times(10, (i) => `tag ${i}`)],
    ['50 code points of two units each', ['😀'.repeat(50)], ['😀'.repeat(50)]],
    ['trimmed, and of duplicates the first one stays', ['b', 'a', 'b', ' a ', 'A'], ['b', 'a', 'A']],
    ['names of prototypes', ['__proto__', 'constructor'], ['__proto__', 'constructor']],
    ['SQL', ["'; DROP TABLE links; --", '{a,"b"}', '\\', 'NULL'], ["'; DROP TABLE links; --", '{a,"b"}', '\\', 'NULL']],
  ])('may be %s', async (_what, tags, expected) => {
    const { status, body } = await tagged(tags);
    expect([status, body.link?.tags]).toEqual([201, expected]);
    expect((await api('GET', `/api/v1/links/${body.link.slug}`)).body.tags).toEqual(expected);
  });

  test.each<[what: string, tags: unknown, field: string]>([
    ['eleven', times(11, (i) => `${i}`), 'tags'],
    ['a blank one', ['a', '   '], 'tags[1]'],
    ['51 code points', ['😀'.repeat(51)], 'tags[0]'],
    ['a control character', ['a\u0007b'], 'tags[0]'],
    ['a NUL', ['a\u0000'], 'tags[0]'],
    ['a direction mark', ['a', 'photo\u202egpj.exe'], 'tags[1]'],
    ['a line separator', ['a\u2028b'], 'tags[0]'],
    ['a lone surrogate', ['a\udc00'], 'tags[0]'],
    ['null inside', [null], 'tags[0]'],
    ['a string instead of an array', 'a', 'tags'],
    ['an object instead of an array', { 0: 'a', length: 1 }, 'tags'],
  ])('may not be %s', async (_what, tags, field) => {
    expectError(await tagged(tags), 400, [field]);
  });
});

describe('a body', () => {
  test('with unknown fields is refused, and the error names them, even __proto__', async () => {
    const body = `{"destination_url":"${DESTINATION}","status":"revoked","constructor":{},"__proto__":{"tags":["a"]}}`;
    expectError(await create(body), 400, ['__proto__', 'constructor', 'status']);
  });

  test('gets an error that names every bad field, not only the first', async () => {
    expectError(await create({ destination_url: 'nonsense', custom_slug: '-', tags: 7, colour: 'red' }), 400, [
      'colour',
      'custom_slug',
      'destination_url',
      'tags',
    ]);
  });
});

test('a link to a threat is created flagged, with a warning, and does not redirect', async () => {
  const url = await listedUrl(waypost, 'phishing');
  const { status, body } = await create({ destination_url: url, tags: ['a'] });
  const { slug } = body.link;
  expect(status).toBe(201);
  expect(body).toEqual({
    link: anyLink({ destination_url: url, status: 'flagged', threat_type: 'phishing', tags: ['a'] }),
    short_url: expect.stringMatching(new RegExp(`/${slug}$`)),
    warning: { slug, destination_url: url, threat_type: 'phishing', message: expect.stringMatching(/\S/) },
  });
  expect(body.link.updated_at).toBe(body.link.created_at);
  const visited = await visit(waypost.redirect, `/${slug}`);
  expect(visited.status).toBe(403);
  expect(visited.headers.location).toBeUndefined();
});
