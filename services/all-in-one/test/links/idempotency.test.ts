import { describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import { connectTo, DESTINATION, eventually, expectError, freshSlug, sendRaw, statusesIn, times } from '../support.ts';
import type { Answer } from '../waypost-process.ts';

const { waypost, api, apiKey, newClient, total } = product();

const BODY = { destination_url: DESTINATION };
const create = (idempotencyKey: string, body: unknown = BODY, path = '/api/v1/links', client = api) =>
  client('POST', path, body, { 'Idempotency-Key': idempotencyKey });
/** Resolves to both answers of a request that is sent twice with one key. */
async function twice(...[body, path, client]: [body?: unknown, path?: string, client?: typeof api]) {
  const idempotencyKey = crypto.randomUUID();
  const send = () => create(idempotencyKey, body, path, client);
  return [await send(), await send()] as const;
}

describe('the same key and body', () => {
  test('replays the stored response, marks it, creates nothing and uses no quota', async () => {
    const before = await total();
    const [first, second] = await twice();
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('x-ratelimit-used')).toBe(first.headers.get('x-ratelimit-used'));
    expect(await total()).toBe(before + 1);
  });

  test.each([
    ['one link', { ...BODY, tags: ['a'] }, '/api/v1/links'],
    ['many links', { links: [BODY, BODY] }, '/api/v1/links/bulk'],
  ])('replays the first answer byte for byte: %s', async (_what, body, path) => {
    const [first, second] = await twice(body, path);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(JSON.stringify(second.body)).toBe(JSON.stringify(first.body));
  });

  test('is recognised with other white space and another order of fields', async () => {
    const idempotencyKey = crypto.randomUUID();
    const first = await create(idempotencyKey, `{"destination_url":"${DESTINATION}","tags":["a","b"]}`);
    const second = await create(
      idempotencyKey,
      ` {\n "tags" : [ "a", "\\u0062" ],\t"destination_url": "${DESTINATION.replaceAll('/', '\\/')}" } `,
    );
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  test('is replayed without any quota left, and does not conflict with its own slug', async () => {
    const own = await newClient('write', { limit: 1 });
    const [first, second] = await twice({ ...BODY, custom_slug: freshSlug() }, '/api/v1/links', own);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expectError(await own('POST', '/api/v1/links', BODY), 429);
  });

  test('sent 20 times at once creates one link; the others get that response or a Retry-After', async () => {
    for (let round = 0; round < 2; round++) {
      const before = await total();
      const idempotencyKey = crypto.randomUUID();
      const answers = await Promise.all(times(20, () => create(idempotencyKey)));
      expect(await total()).toBe(before + 1);
      const created = answers.filter(({ status }) => status === 201);
      expect(created.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
      expect(new Set(created.map(({ body }) => body.link.slug)).size).toBe(1);
      for (const answer of answers) {
        if (answer.status === 201) continue;
        expectError(answer, 409);
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      }
      expect((await create(idempotencyKey)).body).toEqual(created[0]!.body);
    }
  });

  test('is safe to send again after a broken connection: it creates one link', async () => {
    const body = JSON.stringify(BODY);
    const before = await total();
    await Promise.all(
      times(20, async (i) => {
        const idempotencyKey = crypto.randomUUID();
        const socket = connectTo(waypost.api);
        socket.write(
          `POST /api/v1/links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey()}\r\nIdempotency-Key: ${idempotencyKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
        await pause(i * 2);
        socket.destroy();
        const answered = ({ status }: Answer) => status !== 409;
        const { status } = await eventually(() => create(idempotencyKey), answered, 10_000);
        expect(status).toBe(201);
      }),
    );
    expect(await total()).toBe(before + 20);
  });
});

describe('the same key with another body', () => {
  test.each([
    ['another destination', { destination_url: `${DESTINATION}#2`, tags: ['a', 'b'] }],
    ['an explicit null', { ...BODY, tags: ['a', 'b'], custom_slug: null }],
    ['another order of a list', { ...BODY, tags: ['b', 'a'] }],
  ])('is a conflict: %s', async (_what, body) => {
    const idempotencyKey = crypto.randomUUID();
    expect((await create(idempotencyKey, { ...BODY, tags: ['a', 'b'] })).status).toBe(201);
    const before = await total();
    expectError(await create(idempotencyKey, body), 409);
    expect(await total()).toBe(before);
  });
});

describe('a key', () => {
  test.each([['a b'], ['~'.repeat(255)], ["'; DROP TABLE links;--"], ['__proto__']])(
    'may be %s',
    async (idempotencyKey) => {
      const first = await create(idempotencyKey);
      expect([first.status, (await create(idempotencyKey)).body]).toEqual([201, first.body]);
    },
  );

  test.each([
    ['empty', ''],
    ['256 characters', 'a'.repeat(256)],
    ['beyond ASCII', 'schlüssel'],
    ['with a tab inside', 'a\tb'],
  ])('may not be %s', async (_what, idempotencyKey) => {
    const before = await total();
    expectError(await create(idempotencyKey), 400);
    expectError(await create(idempotencyKey, { links: [BODY] }, '/api/v1/links/bulk'), 400);
    expect(await total()).toBe(before);
  });

  test('that is sent in two headers creates at most one link', async () => {
    const before = await total();
    const body = JSON.stringify(BODY);
    const request = `POST /api/v1/links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey()}\r\nIdempotency-Key: one\r\nIdempotency-Key: two\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    for (let i = 0; i < 2; i++) expect([201, 400]).toContain(statusesIn(await sendRaw(waypost.api, request))[0]);
    expect(await total()).toBeLessThanOrEqual(before + 1);
  });

  test('is ignored by a read and by a revoke', async () => {
    const { slug } = (await api('POST', '/api/v1/links', BODY)).body.link;
    const headers = { 'Idempotency-Key': 'a'.repeat(300) };
    expect((await api('GET', `/api/v1/links/${slug}`, undefined, headers)).status).toBe(200);
    expect((await api('POST', `/api/v1/links/${slug}/revoke`, undefined, headers)).status).toBe(200);
  });
});
