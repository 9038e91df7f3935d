import { beforeAll, describe, expect, test } from '@jest/globals';
import { within } from '@waypost/test-support';
import { type ApiClient, product } from '../product.ts';
import { anyLink, expectError, freshSlug, listedUrl, newLink, newSlugs, queriesOf, times } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost, api, newClient } = product();

const list = (client: ApiClient, query: Record<string, string> = {}) =>
  client('GET', `/api/v1/links?${new URLSearchParams(query)}`);
const slugsOf = async (client: ApiClient, query: Record<string, string> = {}): Promise<string[]> => {
  const { status, body } = await list(client, { limit: '100', ...query });
  expect(status).toBe(200);
  return body.data.map(({ slug }: Json) => slug);
};
const bytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('the envelope', () => {
  test('of an account without links is empty, with 0 pages', async () => {
    const { status, body } = await list(await newClient());
    expect(status).toBe(200);
    expect(body).toEqual({ data: [], total: 0, page: 1, limit: 10, total_pages: 0 });
  });

  test('counts links and pages, and has 10 Links by default, newest first', async () => {
    const client = await newClient();
    const created: Json[] = [];
    for (let i = 0; i < 23; i++) created.push(await newLink(client));
    const first = await list(client);
    expect(first.body).toMatchObject({ total: 23, page: 1, limit: 10, total_pages: 3 });
    expect(first.body.data).toHaveLength(10);
    for (const link of first.body.data) expect(link).toEqual(anyLink());
    const pages = [...first.body.data];
    for (const page of ['2', '3']) pages.push(...(await list(client, { page })).body.data);
    const order = [...created].sort((a, b) => bytes(b.created_at, a.created_at) || bytes(a.slug, b.slug));
    expect(pages).toEqual(order);
  });

  test('past the last page is empty, with the right totals', async () => {
    const client = await newClient();
    await newLink(client);
    for (const page of ['2', '999999999999999']) {
      const { status, body } = await list(client, { page });
      expect([status, body]).toEqual([200, { data: [], total: 1, page: Number(page), limit: 10, total_pages: 1 }]);
    }
  });

  test('takes 1 to 100 per page', async () => {
    const client = await newClient();
    await newSlugs(client, 101);
    expect((await list(client, { limit: '1' })).body).toMatchObject({ limit: 1, total: 101, total_pages: 101 });
    const { body } = await list(client, { limit: '100' });
    expect([body.data.length, body.total_pages]).toEqual([100, 2]);
  });
});

test("the list shows only the caller's links, with any of their keys, even with an admin key", async () => {
  const { key, email } = await waypost.newKey();
  const owner = apiClient(waypost.api, key);
  const second = await waypost.admin<{ key: string }>('create-key', { email, name: 'second', scopes: 'read' });
  const { slug } = await newLink(owner);
  await newLink(await newClient());
  expect(await slugsOf(owner)).toEqual([slug]);
  expect(await slugsOf(apiClient(waypost.api, second.key))).toEqual([slug]);
  expect(await slugsOf(await newClient('admin', { admin: true }))).toEqual([]);
});

describe('a filter', () => {
  let client: ApiClient;
  let active: Json;
  let flagged: Json;
  let revoked: Json;

  beforeAll(async () => {
    client = await newClient();
    active = await newLink(client, { tags: ['red', 'big'], destination_url: 'https://www.iana.org/100%_Sure\\' });
    flagged = await newLink(client, { tags: ['red'], destination_url: await listedUrl(waypost) });
    revoked = await newLink(client, { tags: ['Red', 'a,b', '{x}', '"q"'], custom_slug: freshSlug('Under_Score') });
    await client('POST', `/api/v1/links/${revoked.slug}/revoke`);
  });

  // services/link-api/src/links/links.list.test.ts compares every filter and sort with a simple one, and tests
  // searches.
  test.each<[query: string, found: () => Json[]]>([
    ['status=active', () => [active]],
    ['status=flagged&tag=red', () => [flagged]],
    ['status=revoked&tag=red', () => []],
    ['tag=red', () => [flagged, active]],
    ['tag=Red', () => [revoked]],
    ['tag=re', () => []],
    ['tag=a,b&tag={x}&tag="q"', () => [revoked]],
    ['tag=red&tag=big', () => [active]],
    ['search=UNDER_SCORE', () => [revoked]],
    ['search=IANA.org/100', () => [active]],
    ['search=%25', () => [active]],
    ['search=w%25w', () => []],
  ])('%s finds and counts only what has all of it', async (query, expected) => {
    const { body } = await client('GET', `/api/v1/links?${query}`);
    expect(body.data.map(({ slug }: Json) => slug)).toEqual(expected().map(({ slug }) => slug));
    expect(body.total).toBe(expected().length);
  });
});

test('ascending pages miss no earlier link and repeat none while others create links', async () => {
  const client = await newClient();
  const earlier = await newSlugs(client, 80);
  let isCreating = true;
  const creating = times(3, async () => {
    while (isCreating) await newLink(client);
  });
  const seen: string[] = [];
  for (let page = 1, pages = 1; page <= pages && page < 60; page++) {
    const answer = await list(client, { order: 'asc', limit: '9', page: `${page}` });
    expect(answer.body.data.length).toBeLessThanOrEqual(9);
    expect(answer.body.total).toBeGreaterThanOrEqual(80);
    expect(answer.body.total_pages).toBe(Math.ceil(answer.body.total / 9));
    seen.push(...answer.body.data.map(({ slug }: Json) => slug));
    pages = Math.ceil(80 / 9) + 2;
  }
  isCreating = false;
  await Promise.all(creating);
  expect(new Set(seen).size).toBe(seen.length);
  expect(earlier.filter((slug) => !seen.includes(slug))).toEqual([]);
});

test.each(
  queriesOf([
    ['page', ['0', '1.5', '1e3', '', '1&page=2', '99999999999999999999999', '%20', '0x1']],
    ['limit', ['101', 'ten']],
    ['status', ['', 'ACTIVE', 'active,revoked']],
    ['status[]', ['active']],
    ['sort', ['popularity']],
    ['order', ['DESC']],
    ['search', ['']],
    ['tag', ['', 'a&tag=']],
    ['Limit', ['3']],
    ['constructor', ['3']],
    ['__proto__', ['3']],
    ['__proto__[x]', ['3']],
    ['', ['3']],
  ]),
)('refuses ?%s, and names the parameter', async (query, name) => {
  const answer = await api('GET', `/api/v1/links?${query}`);
  expectError(answer, 400);
  expect(Object.keys(answer.body.details)).toHaveLength(1);
  if (name !== '') expect(Object.keys(answer.body.details)).toEqual([name]);
});

test('the list reads every parameter, even after a thousand others', async () => {
  const tags = times(1_100, () => 'tag=a').join('&');
  expect((await api('GET', `/api/v1/links?${tags}`)).status).toBe(200);
  expectError(await api('GET', `/api/v1/links?${tags}&page=0&typo=1&sort=x`), 400, ['page', 'sort', 'typo']);
});

test('a search longer than any destination quickly finds nothing', async () => {
  await within(1_000, async () => {
    const { status, body } = await api('GET', `/api/v1/links?search=${'a'.repeat(15_000)}&limit=5`);
    expect([status, body]).toEqual([200, { data: [], total: 0, page: 1, limit: 5, total_pages: 0 }]);
  });
});

test.each(['%00', '%ff', '%ed%a0%80', '%zz', "a'%20OR%20'1'='1"])('the list takes the search %s', async (search) => {
  const { status, body } = await api('GET', `/api/v1/links?search=${search}`);
  expect([200, 400]).toContain(status);
  if (status === 200) expect(body.data).toEqual([]);
  else expect(Object.keys(body.details)).toEqual(['search']);
});

describe('GET /facets', () => {
  const facets = (client: ApiClient, query = '') => client('GET', `/api/v1/facets${query}`);

  test("counts only the account's links of each status and its tags in use, the most used first", async () => {
    const client = await newClient();
    expect((await facets(client)).body).toEqual({
      total: 0,
      statuses: { active: 0, flagged: 0, revoked: 0 },
      tags: [],
    });
    const tagged = (tags: string[]) => newLink(client, { tags });
    for (const tags of [['b'], ['a', 'b'], ['Z', 'a'], ['🥾 b'], []]) await tagged(tags);
    const { slug } = await tagged(['b']);
    expect((await client('POST', `/api/v1/links/${slug}/revoke`)).status).toBe(200);
    await newLink(client, { destination_url: await listedUrl(waypost) });
    expect((await facets(client)).body).toEqual({
      total: 7,
      statuses: { active: 5, flagged: 1, revoked: 1 },
      tags: [
        { tag: 'b', count: 3 },
        { tag: 'a', count: 2 },
        { tag: 'Z', count: 1 },
        { tag: '🥾 b', count: 1 },
      ],
    });
  });

  test('names the 100 most used tags', async () => {
    const client = await newClient();
    await newSlugs(client, 11, (i) => ({ tags: times(10, (j) => `tag-${10 * i + j}`) }));
    await newLink(client, { tags: ['tag-109'] });
    const { tags } = (await facets(client)).body;
    expect([tags.length, tags[0]]).toEqual([100, { tag: 'tag-109', count: 2 }]);
  });

  test('takes no parameter, and leaves the slug `facets` to links', async () => {
    expectError(await facets(api, '?status=active'), 400, ['status']);
    const custom_slug = freshSlug('facets');
    await newLink(api, { custom_slug });
    expect((await api('GET', `/api/v1/links/${custom_slug}`)).status).toBe(200);
    expectError(await facets(await newClient('write')), 403);
  });
});
