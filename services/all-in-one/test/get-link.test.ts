/** GET /api/v1/links/:slug */
import { expect, test } from '@jest/globals';
import { product } from './product.ts';
import { anyLink, DESTINATION, expectError, freshSlug, listedUrl, sendRaw, statusesIn } from './support.ts';

const { waypost, api, apiKey, newClient } = product();

test('returns the bare Link as it was created', async () => {
  const created = await api('POST', '/api/v1/links', { destination_url: DESTINATION, tags: ['a', 'b'] });
  const { status, headers, body } = await api('GET', `/api/v1/links/${created.body.link.slug}`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(body).toEqual(created.body.link);
  expect(body).toEqual(anyLink({ destination_url: DESTINATION, tags: ['a', 'b'] }));
});

test('returns a flagged link with its threat type', async () => {
  const created = await api('POST', '/api/v1/links', { destination_url: await listedUrl(waypost, 'scam') });
  const { body } = await api('GET', `/api/v1/links/${created.body.link.slug}`);
  expect(body).toEqual(anyLink({ ...created.body.link, status: 'flagged', threat_type: 'scam' }));
});

test("hides another account's link instead of refusing it: the answer is that of a missing one", async () => {
  const other = await newClient();
  const custom_slug = freshSlug();
  await other('POST', '/api/v1/links', { destination_url: DESTINATION, custom_slug });
  const theirs = await api('GET', `/api/v1/links/${custom_slug}`);
  const missing = await api('GET', `/api/v1/links/${freshSlug()}`);
  expectError(theirs, 404);
  expectError(missing, 404);
  expect(theirs.body.message.replace(custom_slug, '')).toBe(missing.body.message.replace(/t-[0-9a-f]{12}/, ''));
});

test("hides another account's link from an admin key too", async () => {
  const created = await api('POST', '/api/v1/links', { destination_url: DESTINATION });
  const admin = await newClient('admin');
  expectError(await admin('GET', `/api/v1/links/${created.body.link.slug}`), 404);
});

test.each([
  'ab',
  'a'.repeat(51),
  'a'.repeat(8_000),
  '%00',
  '%ff%fe',
  '%zz',
  '%',
  'a%2Fb',
  '..%2f..',
  '%E2%80%AE',
  'abc%00',
  "'%20OR%201=1--",
  '__proto__',
  'constructor',
  '-abc',
  'abc+',
])('answers 404 to the odd slug %s', async (slug) => {
  expectError(await api('GET', `/api/v1/links/${slug}`), 404);
});

test.each([
  ['an unknown parameter', '?fields=slug', ['fields']],
  ['a parameter named __proto__', '?__proto__=1', ['__proto__']],
  ['a parameter named constructor', '?constructor=1', ['constructor']],
])('refuses %s, and names it', async (_what, query, keys) => {
  const created = await api('POST', '/api/v1/links', { destination_url: DESTINATION });
  expectError(await api('GET', `/api/v1/links/${created.body.link.slug}${query}`), 400, keys);
});

test('reports the wrong query before the missing link', async () => {
  expectError(await api('GET', `/api/v1/links/${freshSlug()}?x=1`), 400, ['x']);
});

test('answers HEAD like GET, without the body', async () => {
  const { slug } = (await api('POST', '/api/v1/links', { destination_url: DESTINATION })).body.link;
  const received = await sendRaw(
    waypost.api,
    `HEAD /api/v1/links/${slug} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey()}\r\nConnection: close\r\n\r\n`,
  );
  expect(statusesIn(received)).toEqual([200]);
  expect(received.split('\r\n\r\n')[1]).toBe('');
});
