import { expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { expectError, newLink, newSlugs, times } from '../support.ts';

const { api, newClient } = product();

const tag = (body: unknown) => api('POST', '/api/v1/links/tags', body);
const read = async (slug: string) => (await api('GET', `/api/v1/links/${slug}`)).body;

test('tags are added and removed, and only links that differ change', async () => {
  const [one, other] = [await newLink(api, { tags: ['draft', 'a'] }), await newLink(api, { tags: ['a', 'spring'] })];
  const answer = await tag({ slugs: [one.slug, other.slug], add: [' spring ', 'spring'], remove: ['draft'] });
  expect([answer.status, answer.body]).toEqual([200, { total_changed: 1 }]);
  const changed = await read(one.slug);
  expect(changed).toEqual({ ...one, tags: ['a', 'spring'], updated_at: changed.updated_at });
  expect(changed.updated_at > one.updated_at).toBe(true);
  expect(await read(other.slug)).toEqual(other);
});

test('a revoked link keeps its revocation as the last change', async () => {
  const { slug } = await newLink(api);
  const revoked = (await api('POST', `/api/v1/links/${slug}/revoke`)).body;
  expect((await tag({ slugs: [slug], add: ['past'] })).body).toEqual({ total_changed: 1 });
  expect(await read(slug)).toEqual({ ...revoked, tags: ['past'] });
});

test('500 links are tagged by one request, and two at once with other tags lose none', async () => {
  const own = await newClient('read,write', { limit: 500 });
  const slugs = await newSlugs(own, 500);
  const [a, b] = await Promise.all([
    own('POST', '/api/v1/links/tags', { slugs, add: ['a'] }),
    own('POST', '/api/v1/links/tags', { slugs: slugs.toReversed(), add: ['b'] }),
  ]);
  expect([a.body, b.body]).toEqual([{ total_changed: 500 }, { total_changed: 500 }]);
  const { body } = await own('GET', '/api/v1/links?tag=a&tag=b');
  expect(body.total).toBe(500);
});

test('a link that is missing or of another account changes none: 404 names each', async () => {
  const link = await newLink(api);
  const foreign = await newLink(await newClient());
  expectError(await tag({ slugs: [link.slug, foreign.slug, 'no-such-link', '\u0000'], add: ['x'] }), 404, [
    'slugs[1]',
    'slugs[2]',
    'slugs[3]',
  ]);
  expect(await read(link.slug)).toEqual(link);
});

test('a link that would have more than ten tags changes none: 400 names each', async () => {
  const [few, full, alike] = [
    await newLink(api),
    await newLink(api, { tags: times(10, (i) => `${i}`) }),
    await newLink(api, { tags: [...times(9, (i) => `${i}`), 'x'] }),
  ];
  const slugs = [few.slug, full.slug, alike.slug];
  expectError(await tag({ slugs, add: ['x'] }), 400, ['slugs[1]']);
  for (const link of [few, full, alike]) expect(await read(link.slug)).toEqual(link);
  expect((await tag({ slugs, add: ['x'], remove: ['0'] })).body).toEqual({ total_changed: 3 });
});

test.each<[what: string, body: object, fields: readonly string[]]>([
  ['no slug', { slugs: [], add: ['a'] }, ['slugs']],
  ['501 slugs', { slugs: times(501, (i) => `s-${i}`), add: ['a'] }, ['slugs']],
  ['a slug twice', { slugs: ['abc', 'def', 'abc'], add: ['a'] }, ['slugs']],
  ['a slug that is no text', { slugs: ['abc', 7], add: ['a'] }, ['slugs[1]']],
  ['no tags', { slugs: ['abc'], add: null }, ['body']],
  ['empty lists', { slugs: ['abc'], add: [], remove: [] }, ['body']],
  ['a tag that is none', { slugs: ['abc'], add: ['a', ' '], remove: 'b' }, ['add[1]', 'remove']],
  ['eleven tags', { slugs: ['abc'], add: times(11, (i) => `${i}`) }, ['add']],
  ['a tag to add and to remove', { slugs: ['abc'], add: ['a'], remove: ['b', 'a '] }, ['remove[1]']],
  ['an unknown field', { slugs: ['abc'], add: ['a'], tags: ['b'] }, ['tags']],
])('may not have %s', async (_what, body, fields) => {
  expectError(await tag(body), 400, fields);
});

test('needs the scope write, and has no rate limit', async () => {
  expectError(await (await newClient('read'))('POST', '/api/v1/links/tags', { slugs: ['abc'], add: ['a'] }), 403);
  const own = await newClient('read,write', { limit: 1 });
  const slugs = await newSlugs(own, 1);
  for (const name of times(5, (i) => `${i}`))
    expect((await own('POST', '/api/v1/links/tags', { slugs, add: [name] })).status).toBe(200);
});
