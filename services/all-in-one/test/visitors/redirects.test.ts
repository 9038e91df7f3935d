import { beforeAll, describe, expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { comesTo, DESTINATION, freshSlug, newSlug, sendRaw, statusesIn, visit } from '../support.ts';

const { waypost, api } = product();
let slug: string;

beforeAll(async () => {
  slug = await newSlug(api);
});

// services/redirector/test/redirect.test.ts tests every row of the contract on a server alone.
describe('an active link', () => {
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

  test('is found at once by a visitor who asked for it before it existed', async () => {
    const custom_slug = freshSlug();
    expect((await visit(waypost.redirect, `/${custom_slug}`)).status).toBe(404);
    await newSlug(api, { custom_slug });
    await comesTo(() => visit(waypost.redirect, `/${custom_slug}`), { status: 302 }, 5_000);
  });
});

test('too large headers get 431, and the next visitor is served', async () => {
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
