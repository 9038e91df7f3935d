import { describe, expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { DESTINATION, expectError, freshSlug, listedUrl, times } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost, newClient } = product();

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
  test('have the limit, the number used, and when the hour of the first creation ends', async () => {
    const client = await clientWithin(300);
    const before = quotaOf(await client('POST', '/api/v1/links', {}));
    const first = quotaOf(await client('POST', '/api/v1/links', BODY));
    const inAnHour = Date.now() / 1000 + 3_600;
    expect([before.used, first]).toMatchObject([0, { limit: 300, used: 1, remaining: 299 }]);
    for (const { reset } of [before, first]) expect(Math.abs(reset - inAnHour)).toBeLessThanOrEqual(3);
    const second = await client('POST', '/api/v1/links/bulk', rows(4));
    expect(quotaOf(second)).toMatchObject({ limit: 300, used: 5, remaining: 295, reset: first.reset });
    expect(second.headers.get('retry-after')).toBeNull();
  });

  test.each<[number, unknown, Record<string, string>]>([
    [400, { destination_url: 'x' }, {}],
    [409, { ...BODY, custom_slug: freshSlug() }, {}],
    [413, `"${'a'.repeat(2_200_000)}"`, {}],
    [415, '{}', { 'Content-Type': 'text/plain' }],
  ])('are on a %s, unchanged', async (status, body, headers) => {
    const client = await clientWithin(300);
    await client('POST', '/api/v1/links', status === 409 ? body : BODY);
    const answer = await client('POST', '/api/v1/links', body, headers);
    expectError(answer, status);
    expect(quotaOf(answer)).toMatchObject({ limit: 300, used: 1, remaining: 299 });
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

  test('is shared by all its keys and both endpoints', async () => {
    const { email, key } = await waypost.newKey('write', { limit: 5 });
    const second = await waypost.admin<{ key: string }>('create-key', { email, name: 'second', scopes: 'admin' });
    const [a, b] = [apiClient(waypost.api, key), apiClient(waypost.api, second.key)];
    expect(quotaOf(await a('POST', '/api/v1/links', BODY)).used).toBe(1);
    expect(quotaOf(await b('POST', '/api/v1/links/bulk', rows(3))).used).toBe(4);
    expect(quotaOf(await b('POST', '/api/v1/links', BODY)).used).toBe(5);
    expectError(await a('POST', '/api/v1/links', BODY), 429);
    expectError(await b('POST', '/api/v1/links/bulk', rows(1)), 429);
  });

  test('can be changed by an operator within a window, even below what is used', async () => {
    const { email, key } = await waypost.newKey('read,write', { limit: 2 });
    const client = apiClient(waypost.api, key);
    const setTo = (limit: number) => waypost.admin('set-limit', { email, 'creations-per-hour': String(limit) });
    await client('POST', '/api/v1/links/bulk', rows(2));
    expectError(await client('POST', '/api/v1/links', BODY), 429);
    expect(await setTo(4)).toEqual({ email, creations_per_hour: 4 });
    expect(quotaOf(await client('POST', '/api/v1/links', BODY))).toMatchObject({ limit: 4, used: 3, remaining: 1 });
    await setTo(1);
    const lowered = await client('POST', '/api/v1/links', BODY);
    expectError(lowered, 429);
    expect(quotaOf(lowered)).toMatchObject({ limit: 1, used: 3, remaining: 0 });
  });

  test.each(['-1', '1.5', 'many', '', '1e9999', '99999999999999999999'])('cannot be set to "%s"', async (limit) => {
    const { email } = await waypost.newKey();
    await expect(waypost.admin('set-limit', { email, 'creations-per-hour': limit })).rejects.toThrow(/\S/);
  });

  test('is not used by a dry run, a failed creation or a read, but by a flagged link', async () => {
    const client = await clientWithin(2);
    await client('POST', '/api/v1/links?dry_run=true', BODY);
    await client('POST', '/api/v1/links', { destination_url: 'x' });
    await client('POST', '/api/v1/links', { ...BODY, custom_slug: 'api' });
    await client('GET', '/api/v1/links');
    const flagged = await client('POST', '/api/v1/links', { destination_url: await listedUrl(waypost) });
    expect([flagged.status, quotaOf(flagged).used]).toEqual([201, 1]);
  });
});
