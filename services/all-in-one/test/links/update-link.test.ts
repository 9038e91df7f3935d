import { expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import { expectError, ISO_TIME, listedUrl, newLink, times, visit } from '../support.ts';

const { waypost, api, newClient } = product();

const update = (slug: string, edit: unknown) => api('PATCH', `/api/v1/links/${slug}`, edit);
const read = async (slug: string) => (await api('GET', `/api/v1/links/${slug}`)).body;

test('an update answers 200 with the Link, and changes only the given fields and updated_at', async () => {
  const link = await newLink(api, { title: 'Old', note: 'Kept', tags: ['a'] });
  const { status, body } = await update(link.slug, { title: ' New ', tags: ['b', 'b', 'c'] });
  expect(status).toBe(200);
  expect(body).toEqual({
    ...link,
    title: 'New',
    tags: ['b', 'c'],
    updated_at: expect.stringMatching(ISO_TIME),
  });
  expect(body.updated_at > link.created_at).toBe(true);
  expect(await read(link.slug)).toEqual(body);
  expect((await update(link.slug, { title: null, note: null, tags: [] })).body).toMatchObject({
    title: null,
    note: null,
    tags: [],
  });
});

test('an update that changes nothing leaves updated_at', async () => {
  const link = await newLink(api, { title: 'Same', tags: ['a'] });
  await pause(5);
  for (const edit of [{ title: 'Same' }, { note: null }, { tags: [' a ', 'a'] }, { tags: null }])
    expect(await update(link.slug, edit)).toMatchObject({ status: 200, body: link });
});

test('a flagged link can be updated, and a revoked one keeps its revocation as the last change', async () => {
  const flagged = await newLink(api, { destination_url: await listedUrl(waypost) });
  const updated = (await update(flagged.slug, { title: 'Why?' })).body;
  expect(updated).toEqual({ ...flagged, title: 'Why?', updated_at: updated.updated_at });
  expect((await visit(waypost.redirect, `/${flagged.slug}`)).status).toBe(403);
  const { slug } = await newLink(api);
  const revoked = (await api('POST', `/api/v1/links/${slug}/revoke`)).body;
  await pause(5);
  const words = { title: 'Over', note: 'It was fun.', tags: ['past'] };
  expect(await update(slug, words)).toMatchObject({ status: 200, body: { ...revoked, ...words } });
});

test.each<[what: string, edit: unknown, fields: readonly string[]]>([
  ['no field', {}, ['body']],
  ['a list', [], ['body']],
  ['another destination', { destination_url: 'https://example.com/', title: 'x' }, ['destination_url']],
  ['another slug and status', { slug: 'other', status: 'active' }, ['body', 'slug', 'status']],
  ['an unknown field', { titel: 'x', title: 'y' }, ['titel']],
  ['bad words', { title: '', note: 'a\u0000', tags: times(11, (i) => `${i}`) }, ['note', 'tags', 'title']],
])('an update may not have %s: 400 names each field', async (_what, edit, fields) => {
  const link = await newLink(api);
  const answer = await update(link.slug, edit);
  expectError(answer, 400, fields);
  if (fields.includes('destination_url')) expect(answer.body.details.destination_url).toBe('cannot be changed');
  expect(await read(link.slug)).toEqual(link);
});

test('an update needs the scope write and hides the links of others', async () => {
  const { slug } = await newLink(api);
  const reader = await newClient('read');
  expectError(await reader('PATCH', `/api/v1/links/${slug}`, { title: 'x' }), 403);
  const other = await newClient();
  expectError(await other('PATCH', `/api/v1/links/${slug}`, { title: 'x' }), 404);
  expectError(await update('no-such-link', { title: 'x' }), 404);
});

test('updates have no rate limit and use no quota', async () => {
  const own = await newClient('read,write', { limit: 1 });
  const { slug } = await newLink(own);
  for (const title of times(20, (i) => `${i}`)) {
    const answer = await own('PATCH', `/api/v1/links/${slug}`, { title });
    expect([answer.status, answer.body.title]).toEqual([200, title]);
    expect(answer.headers.has('x-ratelimit-limit')).toBe(false);
  }
});
