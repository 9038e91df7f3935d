/** POST /api/v1/links */
import { describe, expect, test } from '@jest/globals';
import { product } from './product.ts';
import {
  anyLink,
  DESTINATION,
  expectError,
  freshSlug,
  GENERATED_SLUG,
  importFeed,
  listedUrl,
  newSlugs,
  times,
  visit,
} from './support.ts';
import type { Json } from './waypost-process.ts';

const { waypost, api, newClient, total } = product();

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

  test('redirects at once', async () => {
    const { body } = await create({ destination_url: DESTINATION });
    expect(await visit(waypost.redirect, `/${body.link.slug}`)).toMatchObject({
      status: 302,
      headers: { location: DESTINATION },
    });
  });

  test('has the given custom slug, and the given tags in their order', async () => {
    const slug = freshSlug();
    const { status, body } = await create({ destination_url: DESTINATION, custom_slug: slug, tags: ['b', 'a', 'ü'] });
    expect(status).toBe(201);
    expect(body.link).toEqual(anyLink({ slug, tags: ['b', 'a', 'ü'] }));
    expect(body.short_url.endsWith(`/${slug}`)).toBe(true);
  });

  test('treats null for an optional field as absent', async () => {
    const { status, body } = await create({ destination_url: DESTINATION, custom_slug: null, tags: null });
    expect(status).toBe(201);
    expect(body.link).toEqual(anyLink({ slug: expect.stringMatching(GENERATED_SLUG), tags: [] }));
  });

  test('to the same destination as another is a second link', async () => {
    const answers = await Promise.all([1, 2].map(() => create({ destination_url: DESTINATION })));
    expect(new Set(answers.map(({ body }) => body.link.slug)).size).toBe(2);
  });

  test('has a slug without lookalikes, using the whole alphabet of 58 and never the same twice', async () => {
    const slugs = await newSlugs(api, 500);
    for (const slug of slugs) expect(slug).toMatch(GENERATED_SLUG);
    expect(new Set(slugs).size).toBe(500);
    expect(new Set(slugs.join('')).size).toBe(58);
  });
});

describe('a custom slug', () => {
  // Every case of the rule is in libs/domain/src/slug.test.ts.
  test.each(['abc', 'a'.repeat(50)])('may be %s', async (slug) => {
    expect((await create({ destination_url: DESTINATION, custom_slug: slug })).body.link?.slug).toBe(slug);
  });

  test.each([
    ['two characters', 'ab'],
    ['51 characters', 'a'.repeat(51)],
    ['nothing', ''],
    ['a leading hyphen', '-abc'],
    ['a percent sign', 'a%62c'],
    ['a reserved word', 'api'],
    ['a number', 1234],
    ['an array', ['abcd']],
    ['an object', { toString: 'abcd' }],
  ])('may not have or be %s', async (_what, slug) => {
    expectError(await create({ destination_url: DESTINATION, custom_slug: slug }), 400, ['custom_slug']);
  });

  test('is case-sensitive everywhere: two links, two destinations', async () => {
    const slug = freshSlug('CaSe');
    const other = slug.toLowerCase();
    expect((await create({ destination_url: 'https://www.iana.org/1', custom_slug: slug })).status).toBe(201);
    expect((await create({ destination_url: 'https://www.iana.org/2', custom_slug: other })).status).toBe(201);
    expect((await api('GET', `/api/v1/links/${slug}`)).body.destination_url).toBe('https://www.iana.org/1');
    expect((await visit(waypost.redirect, `/${slug}`)).headers.location).toBe('https://www.iana.org/1');
    expect((await visit(waypost.redirect, `/${other}`)).headers.location).toBe('https://www.iana.org/2');
    expect((await visit(waypost.redirect, `/${slug.toUpperCase()}`)).status).toBe(404);
  });

  test('that is taken is a conflict that names it, even if another account, a revoked or a flagged link has it', async () => {
    const mine = freshSlug();
    const revoked = freshSlug();
    const flagged = freshSlug();
    const theirs = freshSlug();
    const other = await newClient();
    await create({ destination_url: DESTINATION, custom_slug: mine });
    await create({ destination_url: DESTINATION, custom_slug: revoked });
    await api('POST', `/api/v1/links/${revoked}/revoke`);
    await create({ destination_url: await listedUrl(waypost), custom_slug: flagged });
    await other('POST', '/api/v1/links', { destination_url: DESTINATION, custom_slug: theirs });
    for (const slug of [mine, revoked, flagged, theirs]) {
      const answer = await create({ destination_url: DESTINATION, custom_slug: slug });
      expectError(answer, 409);
      expect(answer.body.details.taken_slugs).toEqual([slug]);
    }
  });
});

describe('a destination', () => {
  const padded = (length: number) => `https://www.wikipedia.org/${'a'.repeat(length - 26)}`;

  test.each([
    ['a query and a fragment', 'https://www.wikipedia.org/a?b=c&d=%20e#f'],
    ['upper case in scheme and host', 'HTTPS://WWW.Wikipedia.ORG/Path'],
    ['a port', 'http://www.wikipedia.org:8443/'],
    ['no path', 'https://www.wikipedia.org'],
    ['letters beyond ASCII', 'https://www.wikipedia.org/straße/日本?q=ü#é'],
    ['an international host', 'https://bücher.example.com/'],
    ['an @ in the path', 'https://medium.com/@user'],
    ['an encoded line break', 'https://www.wikipedia.org/%0d%0aSet-Cookie:%20a=b'],
    ['markup', 'https://www.wikipedia.org/"><script>alert(1)</script>'],
    ['a space in the query', 'https://www.wikipedia.org/?q=a b'],
    ['dots to be resolved', 'https://www.wikipedia.org/a/../b/./c'],
    ['an invalid escape', 'https://www.wikipedia.org/%zz'],
    ['2,048 bytes', padded(2048)],
  ])('with %s is returned exactly as sent, and Location carries its serialisation', async (_what, url) => {
    const { status, body } = await create({ destination_url: url });
    expect([status, body.link?.destination_url]).toEqual([201, url]);
    expect((await api('GET', `/api/v1/links/${body.link.slug}`)).body.destination_url).toBe(url);
    const { headers } = await visit(waypost.redirect, `/${body.link.slug}`);
    expect(headers.location).toBe(new URL(url).href);
    expect(headers.location).toMatch(/^[\x21-\x7e]+$/);
    expect(headers['set-cookie']).toBeUndefined();
  });

  const inBase64 = Buffer.from('http://evil-blog.net/wp-content/%00.php').toString('base64');
  test.each([
    ['an emoji is cut', `https://some-blog.net/wp-content/plugins/${'a'.repeat(79)}😀/x.php`],
    ['there is a NUL', `https://some-blog.net/?to=${inBase64}`],
  ])('in whose evidence %s gets its link', async (_what, url) => {
    const { status, body } = await create({ destination_url: url });
    expect([status, body.link?.destination_url]).toEqual([201, url]);
  });

  test('loses its outer ASCII white space', async () => {
    const { body } = await create({ destination_url: `\t\r\n ${DESTINATION} \f\n` });
    expect(body.link.destination_url).toBe(DESTINATION);
  });

  test('is measured after trimming', async () => {
    expect((await create({ destination_url: `  ${padded(2048)}  ` })).status).toBe(201);
  });

  // Every case of the policy is in libs/domain/src/destination-url.test.ts and the scanner's hostile-urls.jsonl.
  test.each([
    ['missing', undefined],
    ['null', null],
    ['empty', ''],
    ['an array', ['https://www.wikipedia.org/']],
    ['a javascript URL', 'javascript:alert(1)'],
    ['with a user', 'https://user@www.wikipedia.org/'],
    ['with a line break', 'https://www.wikipedia.org/\r\nSet-Cookie: a=b'],
    ['with a bidi override', 'https://www.wikipedia.org/photo\u202egpj.exe'],
    ['with a lone surrogate', 'https://www.wikipedia.org/\ud800'],
    ['localhost', 'http://localhost/'],
    ['a private address', 'http://10.0.0.1/'],
    ['2,049 bytes', padded(2049)],
    ['too long when serialised', `https://www.wikipedia.org/${'é'.repeat(1000)}`],
    ['a megabyte', `https://www.wikipedia.org/${'a'.repeat(1_000_000)}`],
    ['this very service', () => `${waypost.redirect}/abc`],
    ['the name of this service', () => waypost.api.replace('127.0.0.1', 'localhost')],
  ])('that is %s is refused', async (_what, url) => {
    const destination_url = typeof url === 'function' ? url() : url;
    expectError(await create({ destination_url }), 400, ['destination_url']);
  });
});

describe('tags', () => {
  const tagged = (tags: unknown) => create({ destination_url: DESTINATION, tags });

  test.each([
    ['none', [], []],
    ['ten', times(10, (i) => `tag ${i}`), times(10, (i) => `tag ${i}`)],
    ['50 code points of two units each', ['😀'.repeat(50)], ['😀'.repeat(50)]],
    ['outer white space, which is trimmed', ['  a  '], ['a']],
    ['duplicates, of which the first one stays', ['b', 'a', 'b', ' a '], ['b', 'a']],
    ['different cases, which differ', ['a', 'A'], ['a', 'A']],
    ['names of prototypes', ['__proto__', 'constructor'], ['__proto__', 'constructor']],
    ['SQL', ["'; DROP TABLE links; --", '{a,"b"}', '\\'], ["'; DROP TABLE links; --", '{a,"b"}', '\\']],
  ])('may be %s', async (_what, tags, expected) => {
    const { status, body } = await tagged(tags);
    expect([status, body.link?.tags]).toEqual([201, expected]);
    expect((await api('GET', `/api/v1/links/${body.link.slug}`)).body.tags).toEqual(expected);
  });

  test.each([
    ['eleven', times(11, (i) => `${i}`)],
    ['an empty one', ['a', '']],
    ['a blank one', ['   ']],
    ['51 code points', ['😀'.repeat(51)]],
    ['a control character', ['a\u0007b']],
    ['a line break', ['a\nb']],
    ['a NUL', ['a\u0000']],
    ['a lone surrogate', ['a\udc00']],
    ['a number', [1]],
    ['null inside', [null]],
    ['an array inside', [['a']]],
    ['a string instead of an array', 'a'],
    ['an object instead of an array', { 0: 'a', length: 1 }],
  ])('may not be %s', async (_what, tags) => {
    const answer = await tagged(tags);
    expectError(answer, 400);
    expect(Object.keys(answer.body.details).every((key) => key.startsWith('tags'))).toBe(true);
    expect(Object.keys(answer.body.details).length).toBeGreaterThan(0);
  });
});

describe('a body', () => {
  test.each([
    ['customSlug', { customSlug: 'abc' }],
    ['slug', { slug: 'abc' }],
    ['status', { status: 'revoked' }],
    ['constructor', { constructor: {} }],
  ])('with the unknown field %s is refused, and the field is named', async (field, extra) => {
    expectError(await create({ destination_url: DESTINATION, ...extra }), 400, [field]);
  });

  test('with its own __proto__ is refused, and that is named', async () => {
    expectError(await create(`{"destination_url":"${DESTINATION}","__proto__":{"tags":["a"]},"x":1}`), 400, [
      '__proto__',
      'x',
    ]);
  });

  test('has every bad field named, not only the first', async () => {
    expectError(await create({ destination_url: 'nonsense', custom_slug: '-', tags: 7, colour: 'red' }), 400, [
      'colour',
      'custom_slug',
      'destination_url',
      'tags',
    ]);
  });

  test('that was refused leaves no trace and uses no quota', async () => {
    const slug = freshSlug();
    const before = await total();
    const used = (await create({ destination_url: DESTINATION })).headers.get('x-ratelimit-used');
    const refused = await create({ destination_url: DESTINATION, custom_slug: slug, tags: [''] });
    expectError(refused, 400);
    expect(refused.headers.get('x-ratelimit-used')).toBe(used);
    expect(await total()).toBe(before + 1);
    expect((await create({ destination_url: DESTINATION, custom_slug: slug })).status).toBe(201);
  });
});

describe('a destination that is a threat', () => {
  test('is created flagged, with a warning, and does not redirect', async () => {
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

  test('has one of eight types, the most severe of those that apply', async () => {
    const types = [
      'malware',
      'phishing',
      'harmful_application',
      'scam',
      'unwanted_software',
      'spam',
      'suspicious',
      'policy_violation',
    ];
    const url = (level: number) => `https://level${level}.${freshHostBase}/`;
    const freshHostBase = `${freshSlug('p')}.example.net`;
    // The URL of level n is listed as type n and as every less severe type.
    for (const [level, threatType] of types.entries()) {
      await importFeed(waypost, times(level + 1, url).join('\n'), { threatType });
    }
    const { body } = await api('POST', '/api/v1/links/bulk', {
      links: types.map((_, level) => ({ destination_url: url(level) })),
    });
    expect(body.links.map(({ link }: Json) => link.threat_type)).toEqual(types);
  });
});
