/** Limits: creations per hour, their headers, and their exactness. */
import { describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from './product.ts';
import { DESTINATION, expectError, freshSlug, listedUrl, tally, times } from './support.ts';
import { apiClient, type Json } from './waypost-process.ts';

const { waypost, newClient } = product({ CREATIONS_PER_HOUR: '300' });

const BODY = { destination_url: DESTINATION };
const rows = (count: number) => ({ links: times(count, () => BODY) });
const clientWithin = (limit: number) => newClient('read,write', { limit });

function quotaOf({ headers }: Json): { limit: number; used: number; remaining: number; reset: number } {
  const number = (name: string) => {
    expect(headers.get(name)).toMatch(/^\d+$/);
    return Number(headers.get(name));
  };
  return {
    limit: number('x-ratelimit-limit'),
    used: number('x-ratelimit-used'),
    remaining: number('x-ratelimit-remaining'),
    reset: number('x-ratelimit-reset'),
  };
}

describe('the headers of a creation', () => {
  test('have the 300 per hour, the number used, and when the hour of the first creation ends', async () => {
    const client = await newClient();
    const first = quotaOf(await client('POST', '/api/v1/links', BODY));
    const inAnHour = Date.now() / 1000 + 3_600;
    expect(first).toMatchObject({ limit: 300, used: 1, remaining: 299 });
    expect(Math.abs(first.reset - inAnHour)).toBeLessThanOrEqual(3);
    await pause(1_100);
    const second = quotaOf(await client('POST', '/api/v1/links/bulk', rows(4)));
    expect(second).toMatchObject({ limit: 300, used: 5, remaining: 295 });
    expect(second.reset).toBe(first.reset);
  });

  test('have 0 used and an hour from now while no window is open', async () => {
    const client = await newClient();
    const { used, reset } = quotaOf(await client('POST', '/api/v1/links', {}));
    expect(used).toBe(0);
    expect(Math.abs(reset - (Date.now() / 1000 + 3_600))).toBeLessThanOrEqual(3);
  });

  test.each([
    ['400', { destination_url: 'x' }, {}],
    ['413', `"${'a'.repeat(2_200_000)}"`, {}],
    ['415', '{}', { 'Content-Type': 'text/plain' }],
  ])('are on a %s of both endpoints, unchanged', async (status, body, headers: Record<string, string>) => {
    const client = await newClient();
    await client('POST', '/api/v1/links', BODY);
    for (const path of ['/api/v1/links', '/api/v1/links/bulk']) {
      const answer = await client('POST', path, body, headers);
      expectError(answer, Number(status));
      expect(quotaOf(answer)).toMatchObject({ limit: 300, used: 1, remaining: 299 });
    }
  });

  test('are on a 409, unchanged', async () => {
    const client = await newClient();
    const body = { ...BODY, custom_slug: freshSlug() };
    await client('POST', '/api/v1/links', body);
    const answer = await client('POST', '/api/v1/links', body);
    expectError(answer, 409);
    expect(quotaOf(answer)).toMatchObject({ used: 1 });
  });

  test('are not on a list, and no success carries Retry-After', async () => {
    const client = await newClient();
    const created = await client('POST', '/api/v1/links', BODY);
    expect(created.headers.get('retry-after')).toBeNull();
    expect((await client('GET', '/api/v1/links')).headers.get('retry-after')).toBeNull();
  });
});

describe('the quota of an account', () => {
  test('ends with 429 and the seconds until the window resets', async () => {
    const client = await clientWithin(2);
    for (let i = 0; i < 2; i++) expect((await client('POST', '/api/v1/links', BODY)).status).toBe(201);
    const answer = await client('POST', '/api/v1/links', BODY);
    expectError(answer, 429);
    const { limit, used, remaining, reset } = quotaOf(answer);
    expect({ limit, used, remaining }).toEqual({ limit: 2, used: 2, remaining: 0 });
    const wait = Number(answer.headers.get('retry-after'));
    expect(wait).toBeLessThanOrEqual(3_600);
    expect(Math.abs(Date.now() / 1000 + wait - reset)).toBeLessThanOrEqual(2);
    expect((await client('GET', '/api/v1/links')).body.total).toBe(2);
  });

  test('is one for all its keys and for both endpoints', async () => {
    const { email, key } = await waypost.newKey('write', { limit: 5 });
    const second = await waypost.admin<{ key: string }>('create-key', { email, name: 'second', scopes: 'admin' });
    const [a, b] = [apiClient(waypost.api, key), apiClient(waypost.api, second.key)];
    expect(quotaOf(await a('POST', '/api/v1/links', BODY)).used).toBe(1);
    expect(quotaOf(await b('POST', '/api/v1/links/bulk', rows(3))).used).toBe(4);
    expect(quotaOf(await b('POST', '/api/v1/links', BODY)).used).toBe(5);
    expectError(await a('POST', '/api/v1/links', BODY), 429);
    expectError(await b('POST', '/api/v1/links/bulk', rows(1)), 429);
  });

  test('does not affect another account', async () => {
    const [full, free] = [await clientWithin(1), await clientWithin(1)];
    await full('POST', '/api/v1/links', BODY);
    expectError(await full('POST', '/api/v1/links', BODY), 429);
    expect((await free('POST', '/api/v1/links', BODY)).status).toBe(201);
  });

  test('can be raised by an operator, even within a window', async () => {
    const { email, key } = await waypost.newKey('read,write', { limit: 1 });
    const client = apiClient(waypost.api, key);
    await client('POST', '/api/v1/links', BODY);
    expectError(await client('POST', '/api/v1/links', BODY), 429);
    expect(await waypost.admin('set-limit', { email, 'creations-per-hour': '3' })).toEqual({
      email,
      creations_per_hour: 3,
    });
    expect(quotaOf(await client('POST', '/api/v1/links', BODY))).toMatchObject({ limit: 3, used: 2, remaining: 1 });
  });

  test('can be lowered below what is used', async () => {
    const { email, key } = await waypost.newKey('read,write', { limit: 5 });
    const client = apiClient(waypost.api, key);
    await client('POST', '/api/v1/links/bulk', rows(4));
    await waypost.admin('set-limit', { email, 'creations-per-hour': '2' });
    const answer = await client('POST', '/api/v1/links', BODY);
    expectError(answer, 429);
    expect(quotaOf(answer)).toMatchObject({ limit: 2, used: 4, remaining: 0 });
  });

  test.each(['-1', '1.5', 'many', '', '1e9999', '99999999999999999999'])('cannot be set to "%s"', async (limit) => {
    const { email } = await waypost.newKey();
    await expect(waypost.admin('set-limit', { email, 'creations-per-hour': limit })).rejects.toThrow(/\S/);
  });

  test('is not used by a dry run, a failed creation or a read', async () => {
    const client = await clientWithin(2);
    await client('POST', '/api/v1/links?dry_run=true', BODY);
    await client('POST', '/api/v1/links', { destination_url: 'x' });
    await client('POST', '/api/v1/links', { ...BODY, custom_slug: 'api' });
    await client('GET', '/api/v1/links');
    expect(quotaOf(await client('POST', '/api/v1/links', BODY)).used).toBe(1);
  });

  test('is used by a flagged link', async () => {
    const client = await clientWithin(1);
    const answer = await client('POST', '/api/v1/links', { destination_url: await listedUrl(waypost) });
    expect([answer.status, quotaOf(answer).used]).toEqual([201, 1]);
    expectError(await client('POST', '/api/v1/links', BODY), 429);
  });
});

describe('exactly', () => {
  test('10 of 100 creations at once succeed when 10 are left', async () => {
    const client = await clientWithin(25);
    expect((await client('POST', '/api/v1/links/bulk', rows(15))).status).toBe(201);
    const answers = await Promise.all(times(100, () => client('POST', '/api/v1/links', BODY)));
    expect(tally(answers)).toEqual({ 201: 10, 429: 90 });
    const used = answers.filter(({ status }) => status === 201).map((answer) => quotaOf(answer).used);
    expect(used.sort((a, b) => a - b)).toEqual(times(10, (i) => 16 + i));
    for (const answer of answers) {
      if (answer.status === 429) {
        expectError(answer, 429);
        expect(quotaOf(answer).used).toBe(25);
      }
    }
    expect((await client('GET', '/api/v1/links')).body.total).toBe(25);
  });

  test('successful creations get all that is left, among failing ones', async () => {
    const client = await clientWithin(10);
    const taken = freshSlug();
    expect((await client('POST', '/api/v1/links', { ...BODY, custom_slug: taken })).status).toBe(201);
    const answers = await Promise.all(
      times(40, (i) => client('POST', '/api/v1/links', i % 2 ? BODY : { ...BODY, custom_slug: taken })),
    );
    expect(tally(answers)).toEqual({ 201: 9, 409: 20, 429: 11 });
    expect((await client('GET', '/api/v1/links')).body.total).toBe(10);
  });
});
