import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import { connectTo, DESTINATION, expectError, freshSlug, newLink, sendRaw, statusesIn, times } from '../support.ts';
import { apiClient } from '../waypost-process.ts';

const { waypost, api, apiKey, newClient, total, createsNothing } = product();
/** These connections open first, because the server takes seconds to close them. */
let slowConnections: Promise<string[]>;

beforeAll(async () => {
  const unended = 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: a';
  // The read must wait longer than the test that checks its result.
  slowConnections = Promise.all([waypost.api, waypost.redirect].map((base) => sendRaw(base, unended, 120_000)));
});

const GZIP = { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' };
const BODY = { destination_url: DESTINATION };
const LIMIT = 2 * 1024 * 1024;
const post = (body: unknown, headers: Record<string, string> = {}, where = '/api/v1/links') =>
  api('POST', where, body, headers);
/** Returns the bytes of a creation with these additional headers. */
const raw = (headers: string, body = '') =>
  `POST /api/v1/links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey()}\r\n${headers}Connection: close\r\n\r\n${body}`;
const rawPost = (body: string, headers = '', length = Buffer.byteLength(body)) =>
  raw(`Content-Type: application/json\r\n${headers}Content-Length: ${length}\r\n`, body);
const rawChunks = (chunks: string) =>
  raw('Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n', `${chunks}0\r\n\r\n`);

describe('an unknown address', () => {
  test.each([
    '/api/v1',
    '/api/v1/nothing',
    '/API/v1/links',
    '/api/v2/links',
    '/api/v1/links/abcdefg/revoke/x',
    '/api//v1/links',
    '/api/%76%32/links',
  ])('%s is 404, with a key and without', async (where) => {
    for (const client of [api, apiClient(waypost.api)]) {
      for (const method of ['GET', 'POST', 'DELETE']) expectError(await client(method, where), 404);
    }
  });

  test.each(['/%', '/%ff', '/api/v1/%00', '/api/v1/links/%/revoke', '/..%2f..%2fetc/passwd'])(
    'in the odd form %s is an error object too, never 5xx',
    async (where) => {
      const answer = await api('GET', where);
      expect([400, 404, 405]).toContain(answer.status);
      expectError(answer, answer.status);
    },
  );
});

// services/link-api/src/platform/openapi/openapi.test.ts tests every method of every path.
test('a wrong method is 405 with Allow, with a key and without', async () => {
  for (const client of [api, apiClient(waypost.api)]) {
    for (const [method, where, allowed] of [
      ['DELETE', '/api/v1/links', ['GET', 'POST']],
      ['OPTIONS', '/api/v1/links/abcdefg/revoke', ['POST']],
    ] as const) {
      const answer = await client(method, where);
      expectError(answer, 405);
      const allow = (answer.headers.get('allow') ?? '').split(/, */);
      expect(allow).toEqual(expect.arrayContaining([...allowed]));
      expect(allow).not.toContain(method);
    }
  }
});

test('the order of checks is key, scope, content type and size, shape, link, state, slug, quota', async () => {
  const nobody = apiClient(waypost.api);
  const reader = await newClient('read');
  const full = await newClient('read,write', { limit: 1 });
  const text = { 'Content-Type': 'text/plain' };
  const tooLong = 'x'.repeat(LIMIT + 1);
  const taken = freshSlug();
  expect((await full('POST', '/api/v1/links', { ...BODY, custom_slug: taken })).status).toBe(201);

  expectError(await nobody('POST', '/api/v1/links', '{', text), 401);
  expectError(await nobody('POST', '/api/v1/links', tooLong), 401);
  expectError(await reader('POST', '/api/v1/links', '{', text), 403);
  expectError(await reader('POST', '/api/v1/links', tooLong), 403);
  expectError(await post('{', text), 415);
  expectError(await post(tooLong), 413);
  expectError(await full('POST', '/api/v1/links', { destination_url: 'x', custom_slug: taken }), 400);
  expectError(await full('POST', '/api/v1/links', { ...BODY, custom_slug: taken }), 409);
  expectError(await full('POST', '/api/v1/links', BODY), 429);
  expectError(await full('POST', `/api/v1/links/${freshSlug()}/revoke?x=1`), 400);
});

describe('a body', () => {
  test('of exactly 2 MiB is read, and one with one more byte is 413', async () => {
    const padded = (length: number) => JSON.stringify(BODY).padStart(length);
    expect((await post(padded(LIMIT))).status).toBe(201);
    expectError(await createsNothing(() => post(padded(LIMIT + 1))), 413);
    expectError(await createsNothing(() => post(padded(LIMIT + 1), {}, '/api/v1/links/bulk')), 413);
  });

  test('with a field is 400 where no body is declared, and an empty one or object is none', async () => {
    const { slug } = await newLink(api);
    const revoke = `/api/v1/links/${slug}/revoke`;
    expectError(await post({ dry_run: true, reason: 'x' }, {}, revoke), 400, ['dry_run', 'reason']);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expectError(await post('{"dry_run":true}', form, revoke), 400, ['dry_run']);
    expectError(await api('DELETE', `/api/v1/webhooks/${crypto.randomUUID()}`, { x: 1 }), 400, ['x']);
    expect((await api('GET', `/api/v1/links/${slug}`)).body.status).toBe('active');
    expect((await post({}, {}, revoke)).status).toBe(200);
    const empty = await post(
      undefined,
      { 'Content-Type': 'application/json' },
      `/api/v1/links/${(await newLink(api)).slug}/revoke`,
    );
    expect(empty.status).toBe(200);
  });

  test('of 2 MiB with links is read completely', async () => {
    const long = `https://www.wikipedia.org/${'a'.repeat(2_000)}`;
    const links = times(500, (i) => ({
      destination_url: `${long}${i}`,
      tags: times(10, (j) => `${'t'.repeat(48)}${j}`),
    }));
    const json = JSON.stringify({ links });
    expect(json.length).toBeLessThan(LIMIT);
    const answer = await post(json.padEnd(LIMIT, ' '), {}, '/api/v1/links/bulk');
    expect([answer.status, answer.body.total_created]).toEqual([201, 500]);
  });

  test('over 2 MiB in chunks, without a declared length, is 413', async () => {
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`;
    const received = await createsNothing(() => sendRaw(waypost.api, rawChunks(chunk.repeat(40))));
    expect(statusesIn(received)).toEqual([413]);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/merge-patch+json',
    '',
    'text/plain; application/json',
    'application/json; charset=iso-8859-1',
  ])('with the content type "%s" is 415', async (type) => {
    const json = Buffer.from(JSON.stringify(BODY));
    for (const where of ['/api/v1/links', '/api/v1/links/bulk']) {
      expectError(await createsNothing(() => post(json, { 'Content-Type': type }, where)), 415);
    }
  });

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json; charset="utf-8"',
    'application/json;',
    'application/json; charset=utf-8; profile=x',
  ])('with the content type "%s" is read', async (type) => {
    expect((await post(JSON.stringify(BODY), { 'Content-Type': type })).status).toBe(201);
  });

  test('that is empty counts as missing: 400, with a content type and without', async () => {
    for (const type of ['Content-Type: application/json\r\n', '']) {
      for (const length of ['Content-Length: 0\r\n', '']) {
        const received = await sendRaw(waypost.api, raw(`${type}${length}`));
        expect(statusesIn(received)).toEqual([400]);
        expect(received).toContain('"bad_request"');
      }
    }
  });

  const URL_ = DESTINATION;
  const endingIn = (...bytes: number[]) =>
    Buffer.concat([Buffer.from(`{"destination_url":"${URL_}`), Buffer.from(bytes), Buffer.from('"}')]);
  test.each([
    ['blank', '  \n '],
    ['an array', `[{"destination_url":"${URL_}"}]`],
    ['a string', `"${URL_}"`],
    ['cut', `{"destination_url":"${URL_}"`],
    ['with a byte order mark', `\ufeff{"destination_url":"${URL_}"}`],
    ['with a lone surrogate', `{"destination_url":"${URL_}\\ud800"}`],
    ['of 100,000 brackets', '['.repeat(100_000)],
    ['a huge number', '{"destination_url":1e999999}'],
    ['in UTF-16', Buffer.from(`{"destination_url":"${URL_}"}`, 'utf16le')],
    ['with invalid UTF-8', endingIn(0xff, 0xfe)],
    ['with an overlong slash', endingIn(0xc0, 0xaf)],
    ['with an encoded surrogate', endingIn(0xed, 0xa0, 0x80)],
    ['compressed without a Content-Encoding', gzipSync(`{"destination_url":"${URL_}"}`)],
    ['with the last of two destinations bad', `{"destination_url":"${URL_}","destination_url":"javascript:alert(1)"}`],
  ])('that is %s is 400 with details, at both endpoints', async (_what, body) => {
    for (const where of ['/api/v1/links', '/api/v1/links/bulk']) {
      const answer = await createsNothing(() => post(body, { 'Content-Type': 'application/json' }, where));
      expectError(answer, 400);
      expect(Object.keys(answer.body.details).length).toBeGreaterThan(0);
    }
  });

  test('with a content encoding is read, and refused if it is false or its content is too large', async () => {
    expect((await post(gzipSync(JSON.stringify(BODY)), GZIP)).status).toBe(201);
    expectError(await createsNothing(() => post('{}', { 'Content-Encoding': 'nonsense' })), 415);
    expectError(await createsNothing(() => post('{}', { 'Content-Encoding': 'gzip' })), 400);
    expectError(await createsNothing(() => post(gzipSync(Buffer.alloc(50_000_000, ' ')), GZIP)), 413);
    const tags = gzipSync(`{"destination_url":"${DESTINATION}","tags":[${'1,'.repeat(1_000_000)}1]}`);
    expect(tags.length).toBeLessThan(4_000);
    expectError(await createsNothing(() => post(tags, GZIP)), 400, ['tags']);
    const empty = gzipSync('');
    const nothing = Buffer.concat(times(150_000, () => empty));
    expectError(await createsNothing(() => post(nothing, GZIP)), 413);
  });

  test.each([
    [40_000, '"destination_url":"is required"'],
    [200_000, 'more than 50000 chunks'],
  ])('in %i chunks of one byte is refused for its missing field, or for its chunks', async (chunks, message) => {
    const chunked = rawChunks(`${'1\r\n \r\n'.repeat(chunks)}2\r\n{}\r\n`);
    const received = await createsNothing(() => sendRaw(waypost.api, chunked, 20_000));
    expect(statusesIn(received)).toEqual([400]);
    expect(received).toContain(message);
  });

  test('without an end is not read completely without a key, nor beyond its limit', async () => {
    const head = (key: string) =>
      `POST /api/v1/links HTTP/1.1\r\nHost: x\r\n${key}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunks = '1\r\n \r\n'.repeat(5_000);
    for (const [key, status] of [
      ['', 401],
      [`Authorization: Bearer ${apiKey()}\r\n`, 400],
    ] as const) {
      const socket = connectTo(waypost.api);
      let received = '';
      socket.on('data', (data) => {
        received += data;
      });
      socket.write(head(key));
      for (let sent = 0; !socket.closed && sent < 5_000_000; sent += 5_000) {
        if (!socket.write(chunks)) await once(socket, 'drain').catch(() => pause(10));
      }
      expect([statusesIn(received), socket.closed]).toEqual([[status], true]);
    }
  });

  test('whose upload breaks off creates nothing and disturbs no other request', async () => {
    const before = await total();
    await Promise.all(
      times(20, async () => {
        const socket = connectTo(waypost.api);
        const body = JSON.stringify(BODY);
        socket.write(rawPost(body, '', body.length + 10));
        await pause(50);
        socket.destroy();
      }),
    );
    expect((await post(BODY)).status).toBe(201);
    expect(await total()).toBe(before + 1);
  });

  test('that arrives slowly is read', async () => {
    const socket = connectTo(waypost.api);
    const received = text(socket);
    for (const piece of rawPost(JSON.stringify(BODY)).match(/[\s\S]{1,20}/g)!) {
      socket.write(piece);
      await pause(60);
    }
    expect(statusesIn(await received)).toEqual([201]);
  });
});

describe('a connection', () => {
  test('with pipelined creations answers each, in order', async () => {
    const slugs = times(10, () => freshSlug());
    const requests = slugs.map((custom_slug, i) => {
      const request = rawPost(JSON.stringify({ ...BODY, custom_slug }));
      return i === slugs.length - 1 ? request : request.replace('Connection: close\r\n', '');
    });
    const received = await sendRaw(waypost.api, requests.join(''));
    expect(statusesIn(received)).toEqual(slugs.map(() => 201));
    expect([...received.matchAll(/"slug":"([^"]+)"/g)].map(([, slug]) => slug)).toEqual(slugs);
  });

  test('with an error does not affect the next request on it', async () => {
    const bad = rawPost('{').replace('Connection: close\r\n', '');
    const received = await sendRaw(waypost.api, bad + rawPost(JSON.stringify(BODY)));
    expect(statusesIn(received)).toEqual([400, 201]);
  });

  test('with Expect: 100-continue gets 100', async () => {
    const received = await sendRaw(waypost.api, rawPost(JSON.stringify(BODY), 'Expect: 100-continue\r\n'));
    expect(statusesIn(received)).toEqual([100, 201]);
  });

  test.each([
    ['two lengths', () => rawPost('{}', 'Content-Length: 4\r\n')],
    ['a length and chunks', () => rawPost('{}', 'Transfer-Encoding: chunked\r\n')],
    ['a length below zero', () => rawPost('{}', '', -1)],
    ['a length that is not a number', () => rawPost('{}', '', Number.NaN)],
    ['two Host headers', () => rawPost('{}', 'Host: y\r\n')],
    ['a broken header', () => rawPost('{}', 'nonsense\r\n')],
    ['a wrong version', () => rawPost('{}').replace('HTTP/1.1', 'HTTP/9.9')],
  ])('with %s gets at most one 400, and is closed', async (_what, request) => {
    const received = await createsNothing(() => sendRaw(waypost.api, request()));
    expect(statusesIn(received)).toEqual([400]);
  });

  test('with too large headers gets 431', async () => {
    const received = await sendRaw(waypost.api, rawPost('{}', `X-Big: ${'a'.repeat(100_000)}\r\n`));
    expect(statusesIn(received)).toEqual([431]);
  });

  test('whose headers come too slowly is closed, on both listeners', async () => {
    for (const received of await slowConnections) {
      for (const status of statusesIn(received)) expect(status).toBe(408);
    }
  }, 60_000);
});
