/** GET {redirect_base_url}/<slug> */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { product } from './product.ts';
import { comesTo, DESTINATION, freshSlug, listedUrl, newSlug, sendRaw, statusesIn, visit } from './support.ts';

const { waypost, api } = product();
let slug: string;

beforeAll(async () => {
  slug = await newSlug(api);
});

// Every row of the contract, on a server alone: services/redirector/test/redirect.test.ts.
describe('an active link', () => {
  test('answers GET and HEAD with 302, Location, no-store and noindex, also to who prefers JSON', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await visit(waypost.redirect, `/${slug}`, { method, headers: { Accept: 'application/json' } });
      expect([answer.status, answer.text]).toEqual([302, '']);
      expect(answer.headers).toMatchObject({
        location: DESTINATION,
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      });
      expect(answer.headers['referrer-policy'] ?? answer.headers['set-cookie']).toBeUndefined();
    }
  });

  test.each([
    ['a query', (path: string) => `${path}?url=https://evil.example.com/&next=//evil.example.com`],
    ['a query with a line break', (path: string) => `${path}?a=%0d%0aLocation:%20https://evil.example.com`],
    ['an absolute target', (path: string) => `http://evil.example.com${path}`],
  ])('leads nowhere else for %s', async (_what, target) => {
    const received = await sendRaw(
      waypost.redirect,
      `GET ${target(`/${slug}`)} HTTP/1.1\r\nHost: evil.example.com\r\nX-Forwarded-Host: evil.example.com\r\nX-Forwarded-Proto: ftp\r\nX-Original-URL: /evil\r\nX-Rewrite-URL: /evil\r\nConnection: close\r\n\r\n`,
    );
    expect(statusesIn(received)).toEqual([302]);
    expect([...received.matchAll(/^location: (.*)\r$/gim)].map(([, location]) => location)).toEqual([DESTINATION]);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s with 405 and Allow: GET, HEAD', async (method) => {
    for (const path of [`/${slug}`, '/unknown9']) {
      const { status, headers } = await visit(waypost.redirect, path, { method });
      expect([status, headers.allow, headers.location]).toEqual([405, 'GET, HEAD', undefined]);
    }
  });

  test('is found at once by a visitor who requested it before it existed', async () => {
    const custom_slug = freshSlug();
    expect((await visit(waypost.redirect, `/${custom_slug}`)).status).toBe(404);
    await newSlug(api, { custom_slug });
    await comesTo(() => visit(waypost.redirect, `/${custom_slug}`), { status: 302 }, 5_000);
  });
});

test('punctuation after a link in a message is forgiven, and opens no revoked or flagged link', async () => {
  const { status, headers } = await visit(waypost.redirect, `/${slug}.)`);
  expect([status, headers.location]).toEqual([302, DESTINATION]);
  // A path is decoded once.
  const encoded = `%25${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`;
  expect((await visit(waypost.redirect, `/${encoded}`)).status).toBe(404);
  const revoked = await newSlug(api);
  await api('POST', `/api/v1/links/${revoked}/revoke`);
  const flagged = await newSlug(api, { destination_url: await listedUrl(waypost) });
  expect((await visit(waypost.redirect, `/${revoked}.`)).status).toBe(410);
  expect((await visit(waypost.redirect, `/${flagged}%29`)).status).toBe(403);
});

test.each([
  '/unknown1',
  '//evil.example.com',
  '/%0d%0aLocation:%20https://evil.example.com',
  '/.well-known/other',
  '/api/v1/links',
])('an unknown or malformed path, %s, is 404 with no Location', async (path) => {
  const received = await sendRaw(waypost.redirect, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(statusesIn(received)).toEqual([404]);
  expect(received).not.toMatch(/^location:/im);
});

test('an oversized header is 431, and the next visitor is served', async () => {
  const received = await sendRaw(
    waypost.redirect,
    `GET /${slug} HTTP/1.1\r\nHost: x\r\nX-Big: ${'a'.repeat(100_000)}\r\n\r\n`,
  );
  expect(statusesIn(received)).toEqual([431]);
  expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
});

test.each([
  ['two Host headers', (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`],
  ['no Host header', (path: string) => `GET ${path} HTTP/1.1\r\n\r\n`],
  [
    'both a length and chunks',
    (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ['a broken header', (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n`],
  ['a space in a header name', (path: string) => `GET ${path} HTTP/1.1\r\nHost : a\r\n\r\n`],
  ['a NUL in a header', (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n`],
  ['nonsense', () => '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n'],
  ['HTTP/0.9', (path: string) => `GET ${path}\r\n\r\n`],
])('a request with %s redirects nobody else and breaks nothing', async (_what, request) => {
  const received = await sendRaw(waypost.redirect, request(`/${slug}`), 500);
  for (const status of statusesIn(received)) expect([302, 400]).toContain(status);
  expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
});
