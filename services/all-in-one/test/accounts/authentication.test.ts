import { beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { product } from '../product.ts';
import { comesTo, DESTINATION, expectError, newSlug, sendRaw, statusesIn, tally, times, UUID } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost, apiKey, newClient } = product();
let key: string;
beforeAll(() => {
  key = apiKey();
});

const ENDPOINTS = [
  ['POST', '/api/v1/links'],
  ['POST', '/api/v1/links/bulk'],
  ['GET', '/api/v1/links'],
  ['GET', '/api/v1/links/abcdefg'],
  ['POST', '/api/v1/links/abcdefg/revoke'],
  ['GET', '/api/v1/links/abcdefg/analytics'],
] as const;

describe('a request without a valid key', () => {
  test.each(ENDPOINTS)('to %s %s gets 401 with WWW-Authenticate: Bearer', async (method, path) => {
    const answer = await apiClient(waypost.api)(method, path);
    expectError(answer, 401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
  });

  test.each<[string, () => string]>([
    ['nothing', () => ''],
    ['the scheme only', () => 'Bearer'],
    ['the bare key', () => key],
    ['another scheme', () => `Basic ${Buffer.from(`${key}:`).toString('base64')}`],
    ['a cut key', () => `Bearer ${key.slice(0, -1)}`],
    ['a changed key', () => `Bearer ${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`],
    ['a key in another case', () => `Bearer ${key.toUpperCase()}`],
    ['two keys', () => `Bearer ${key},${key}`],
    ['two words', () => `Bearer ${key} ${key}`],
    ['SQL', () => "Bearer ' OR '1'='1"],
    ['a huge key', () => `Bearer ${'a'.repeat(8_000)}`],
    ['bytes beyond ASCII', () => 'Bearer ÿþ'],
  ])('is one with %s', async (_what, authorization) => {
    const answer = await apiClient(waypost.api)('GET', '/api/v1/links', undefined, { Authorization: authorization() });
    expectError(answer, 401);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  test('includes a key in the query or in another header', async () => {
    expectError(await apiClient(waypost.api)('GET', `/api/v1/links?api_key=${key}`), 401);
    expectError(await apiClient(waypost.api)('GET', '/api/v1/links', undefined, { 'X-API-Key': key }), 401);
  });

  test('never gets a 200 for a wrong key, even if a second Authorization header is right', async () => {
    const received = await sendRaw(
      waypost.api,
      `GET /api/v1/links HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
    );
    expect([400, 401]).toContain(statusesIn(received)[0]);
  });

  test('never has its key in the log', async () => {
    const wrong = `${key.slice(0, -4)}zzzz`;
    await apiClient(waypost.api, wrong)('GET', '/api/v1/links');
    await apiClient(waypost.api, key)('GET', '/api/v1/links');
    for (const secret of [wrong, key]) expect(waypost.output()).not.toContain(secret);
  });
});

test.each(['bearer', 'BEARER', 'BeArEr'])('the scheme may be written in any case: %s', async (scheme) => {
  const { status } = await apiClient(waypost.api)('GET', '/api/v1/links', undefined, {
    Authorization: `${scheme} ${key}`,
  });
  expect(status).toBe(200);
});

describe('a scope', () => {
  const permits: Record<string, readonly number[]> = {
    read: [403, 403, 200, 200, 403, 200],
    write: [201, 201, 403, 403, 200, 403],
    'read,write': [201, 201, 200, 200, 200, 200],
    'write,read': [201, 201, 200, 200, 200, 200],
    admin: [201, 201, 200, 200, 200, 200],
  };

  test.each(Object.keys(permits))('%s permits what the document says, and nothing else', async (scopes) => {
    const { key: own, email } = await waypost.newKey('read,write');
    const scoped = await waypost.admin<Json>('create-key', { email, name: 'scoped', scopes });
    expect([...scoped.scopes].sort()).toEqual(scopes.split(',').sort());
    const slug = await newSlug(apiClient(waypost.api, own));
    const bodies: Json[] = [{ destination_url: DESTINATION }, { links: [{ destination_url: DESTINATION }] }];
    const answers = [];
    for (const [i, [method, path]] of ENDPOINTS.entries()) {
      const answer = await apiClient(waypost.api, scoped.key)(method, path.replace('abcdefg', slug), bodies[i]);
      answers.push(answer);
      if (answer.status === 403) expectError(answer, 403);
    }
    expect(answers.map(({ status }) => status)).toEqual(permits[scopes]);
  });

  test('that a key lacks does not hide the quota on a creation endpoint', async () => {
    const { headers } = await (await newClient('read'))('POST', '/api/v1/links', {});
    expect(headers.get('x-ratelimit-limit')).toBe('1000000');
    expect(headers.get('x-ratelimit-used')).toBe('0');
  });

  test.each(['admin,read', '', 'READ'])('list "%s" is refused for a new key', async (scopes) => {
    const { email } = await waypost.newKey();
    await expect(waypost.admin('create-key', { email, name: 'bad', scopes })).rejects.toThrow(/\S/);
  });
});

describe('a key', () => {
  test('is shown with its id, name, scopes and time, and is never the same twice', async () => {
    const { email } = await waypost.newKey();
    const keys = await Promise.all(
      times(5, () => waypost.admin<Json>('create-key', { email, name: 'CI', scopes: 'read' })),
    );
    for (const createdKey of keys) {
      expect(createdKey).toEqual({
        id: expect.any(String),
        name: 'CI',
        scopes: ['read'],
        key: expect.stringMatching(/^[\x21-\x7e]{20,}$/),
        created_at: expect.stringMatching(/Z$/),
      });
    }
    for (const field of ['key', 'id']) expect(new Set(keys.map((createdKey) => createdKey[field])).size).toBe(5);
    const nobodys = { email: 'nobody@example.org', name: 'x', scopes: 'read' };
    await expect(waypost.admin('create-key', nobodys)).rejects.toThrow('no account');
  });

  test('that is deleted while eight clients use it is refused to every later request', async () => {
    const { key: doomed, id } = await waypost.newKey();
    const client = apiClient(waypost.api, doomed);
    const seen: { began: number; status: number }[] = [];
    let isRunning = true;
    const busy = times(8, async () => {
      while (isRunning) {
        const began = performance.now();
        seen.push({ began, status: (await client('GET', '/api/v1/links')).status });
      }
    });
    await until(() => seen.some(({ status }) => status === 200));
    expect(await waypost.admin('delete-key', { id })).toEqual({
      id,
      deleted_at: expect.stringMatching(/Z$/),
      webhooks: [],
    });
    const deletedAt = performance.now();
    await until(() => seen.some(({ began }) => began > deletedAt));
    isRunning = false;
    await Promise.all(busy);
    const after = seen.filter(({ began }) => began > deletedAt);
    expect(Object.keys(tally(after))).toEqual(['401']);
    for (const gone of [id, '', "'", '\u0000'])
      await expect(waypost.admin('delete-key', { id: gone })).rejects.toThrow(/\S/);
  });
});

test('an account has an id, its own e-mail address and a sign-in link of this service', async () => {
  const email = `u${crypto.randomUUID()}@example.org`;
  const account = await waypost.admin<Json>('create-account', { email });
  expect(account).toEqual({
    id: expect.any(String),
    email,
    admin: false,
    sign_in_url: expect.stringMatching(/^http:\/\/localhost:\d+\//),
  });
  await expect(waypost.admin('create-account', { email })).rejects.toThrow(/\S/);
  await expect(waypost.admin('create-account', { email: email.toUpperCase() })).rejects.toThrow(/\S/);
  for (const bad of ['', 'nobody', 'a@b\nc'])
    await expect(waypost.admin('create-account', { email: bad })).rejects.toThrow(/\S/);
  expect(account.id).toMatch(UUID);
});

test('no log line contains an e-mail address, not even in the path of an admin endpoint', async () => {
  const { key: own, email } = await waypost.newKey('admin', { admin: true });
  const admin = apiClient(waypost.api, own);
  for (const written of [email, encodeURIComponent(email)]) {
    const where = `/api/v1/admin/accounts/${written}/limit`;
    expect((await admin('PUT', where, { creations_per_hour: 5 })).status).toBe(200);
    expect((await admin('GET', where)).status).toBe(405);
  }
  await comesTo(() => waypost.output(), expect.stringContaining('/api/v1/admin/accounts/…/limit'), 5_000);
  expect(waypost.output()).not.toContain(email.split('@')[0]);
});
