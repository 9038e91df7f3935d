/** Idempotency-Key on single and bulk creation. */
import { describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from './product.ts';
import {
  connectTo,
  DESTINATION,
  eventually,
  expectError,
  freshSlug,
  listedUrl,
  sendRaw,
  statusesIn,
  times,
} from './support.ts';
import { type Answer, apiClient } from './waypost-process.ts';

const { waypost, api, apiKey, newClient, total } = product();

const BODY = { destination_url: DESTINATION };
const create = (idempotencyKey: string, body: unknown = BODY, path = '/api/v1/links', client = api) =>
  client('POST', path, body, { 'Idempotency-Key': idempotencyKey });
/** The answers to one request that is sent again with its key. */
async function twice(...[body, path, client]: [body?: unknown, path?: string, client?: typeof api]) {
  const idempotencyKey = crypto.randomUUID();
  const send = () => create(idempotencyKey, body, path, client);
  return [await send(), await send()] as const;
}

describe('the same key and body', () => {
  test('replays the stored response, marks it, creates nothing and spends nothing', async () => {
    const before = await total();
    const [first, second] = await twice();
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('x-ratelimit-used')).toBe(first.headers.get('x-ratelimit-used'));
    expect(await total()).toBe(before + 1);
  });

  test('replays a whole batch', async () => {
    const before = await total();
    const body = { links: [BODY, { destination_url: await listedUrl(waypost) }] };
    const [first, second] = await twice(body, '/api/v1/links/bulk');
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(second.body.warnings).toHaveLength(1);
    expect(await total()).toBe(before + 2);
  });

  test('counts as the same with other white space and another order of fields', async () => {
    const idempotencyKey = crypto.randomUUID();
    const first = await create(idempotencyKey, `{"destination_url":"${DESTINATION}","tags":["a","b"]}`);
    const second = await create(
      idempotencyKey,
      ` {\n "tags" : [ "a", "\\u0062" ],\t"destination_url": "${DESTINATION.replaceAll('/', '\\/')}" } `,
    );
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  test('replays the original response, even after the link was revoked', async () => {
    const idempotencyKey = crypto.randomUUID();
    const first = await create(idempotencyKey);
    await api('POST', `/api/v1/links/${first.body.link.slug}/revoke`);
    const second = await create(idempotencyKey);
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  test('is replayed when no quota is left, and does not conflict with its own slug', async () => {
    const own = await newClient('write', { limit: 1 });
    const [first, second] = await twice({ ...BODY, custom_slug: freshSlug() }, '/api/v1/links', own);
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expectError(await own('POST', '/api/v1/links', BODY), 429);
  });

  test('is the same request from another API key of the account, another from another account or at the other endpoint', async () => {
    const { email, key: one } = await waypost.newKey();
    const { key: two } = await waypost.admin<{ key: string }>('create-key', { email, name: 'two', scopes: 'write' });
    const idempotencyKey = crypto.randomUUID();
    const send = (client: typeof api) => create(idempotencyKey, BODY, '/api/v1/links', client);
    const first = await send(apiClient(waypost.api, one));
    expect((await send(apiClient(waypost.api, two))).body).toEqual(first.body);
    const bulk = await create(idempotencyKey, { links: [BODY] }, '/api/v1/links/bulk', apiClient(waypost.api, one));
    for (const { status, headers } of [await send(await newClient()), bulk])
      expect([status, headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  test('sent 20 times at once creates once; the others get that response or a Retry-After', async () => {
    for (let round = 0; round < 2; round++) {
      const before = await total();
      const idempotencyKey = crypto.randomUUID();
      const answers = await Promise.all(times(20, () => create(idempotencyKey)));
      expect(await total()).toBe(before + 1);
      const made = answers.filter(({ status }) => status === 201);
      expect(made.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
      expect(new Set(made.map(({ body }) => body.link.slug)).size).toBe(1);
      for (const answer of answers) {
        if (answer.status === 201) continue;
        expectError(answer, 409);
        expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      }
      expect((await create(idempotencyKey)).body).toEqual(made[0]!.body);
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

describe('a failed request', () => {
  test('does not use up its key, after a fault, a conflict or an exhausted quota', async () => {
    const { email, key: own } = await waypost.newKey('read,write', { limit: 1 });
    const client = apiClient(waypost.api, own);
    const custom_slug = freshSlug();
    await client('POST', '/api/v1/links', { ...BODY, custom_slug });
    const [fault, conflict, quota] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    expectError(await create(fault, { destination_url: 'x' }, '/api/v1/links', client), 400);
    expectError(await create(conflict, { ...BODY, custom_slug }, '/api/v1/links', client), 409);
    expectError(await create(quota, BODY, '/api/v1/links', client), 429);
    await waypost.admin('set-limit', { email, 'creations-per-hour': '10' });
    for (const each of [fault, conflict, quota]) {
      const { status, headers } = await create(each, BODY, '/api/v1/links', client);
      expect([status, headers.get('idempotency-replayed')]).toEqual([201, null]);
    }
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

  test('sent in two headers creates at most once for both', async () => {
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
