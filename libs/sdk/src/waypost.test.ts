import { describe, expect, test } from '@jest/globals';
import { Waypost } from './index.ts';

/**
 * The API of an account with `size` links. The keys of `leaving` are numbers of answers. Before such an answer, the
 * links with these indexes no longer match.
 */
function shrinking(size: number, leaving: Readonly<Record<number, readonly number[]>>) {
  let links = Array.from({ length: size }, (_, rank) => ({ slug: `s${rank}` }));
  let answers = 0;
  const answer = async (url: string | URL | Request) => {
    const gone = (leaving[++answers] ?? []).map((rank) => `s${rank}`);
    links = links.filter(({ slug }) => !gone.includes(slug));
    const { searchParams } = new URL(String(url));
    const [page, limit] = [Number(searchParams.get('page')), Number(searchParams.get('limit'))];
    const data = links.slice((page - 1) * limit, page * limit);
    return Response.json({ data, total: links.length, page, limit, total_pages: Math.ceil(links.length / limit) });
  };
  const sdk = new Waypost({ url: 'https://sho.example.com', apiKey: 'key', fetch: answer });
  return { sdk, remaining: () => links.map(({ slug }) => slug), answers: () => answers };
}

test('creates links on pages without https, where crypto has no randomUUID', async () => {
  const keys: string[] = [];
  const answer = async (_url: unknown, { headers }: RequestInit = {}) => {
    keys.push(new Headers(headers).get('Idempotency-Key') ?? '');
    return Response.json({}, { status: 201 });
  };
  const sdk = new Waypost({ url: 'http://192.168.1.5:8080', apiKey: 'key', fetch: answer });
  const { randomUUID } = crypto;
  Object.assign(crypto, { randomUUID: undefined });
  try {
    for (let i = 0; i < 2; i++) await sdk.create({ destination_url: 'https://example.com/' });
  } finally {
    Object.assign(crypto, { randomUUID });
  }
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
  expect(keys[0]).not.toBe(keys[1]);
});

test('an error has the id of its request', async () => {
  const body = { error: 'not_found', message: 'There is none.', status: 404 };
  const answer = async () => Response.json(body, { status: 404, headers: { 'X-Request-Id': 'abc' } });
  const sdk = new Waypost({ apiKey: 'key', fetch: answer });
  await expect(sdk.get('abc')).rejects.toMatchObject({ code: 'not_found', requestId: 'abc' });
  const lost = async () => Response.json({}, { status: 502, headers: { 'X-Request-Id': 'def' } });
  const other = new Waypost({ apiKey: 'key', fetch: lost, retries: 0 });
  await expect(other.get('abc')).rejects.toMatchObject({ code: 'not_waypost', requestId: 'def' });
});

test('a request to any path stays at the address of the API', async () => {
  const sdk = new Waypost({ apiKey: 'key', fetch: async () => Response.json({}) });
  await expect(sdk.request('GET', '@other.example/')).rejects.toThrow(TypeError);
});

describe('listAll', () => {
  test.each([
    ['some links of the first page', 250, { 2: [7] }],
    ['a link of the page before', 450, { 4: [250] }],
    ['more than a page of links', 450, { 4: Array.from({ length: 130 }, (_, rank) => rank) }],
    ['a link of the first page (so that the last page is empty)', 101, { 2: [7] }],
    ['links of the first page (also while it is read again)', 350, { 3: [7], 4: [8, 9] }],
  ])('returns each link that always matches, although %s no longer match', async (_, size, leaving) => {
    const { sdk, remaining } = shrinking(size, leaving);
    const slugs: string[] = [];
    for await (const { slug } of sdk.listAll()) slugs.push(slug);
    expect(slugs).toEqual([...new Set(slugs)]);
    expect(slugs).toEqual(expect.arrayContaining(remaining()));
  });

  test('returns each link although edits move links to pages that were read', async () => {
    const links = Array.from({ length: 350 }, (_, i) => ({
      slug: `s${i}`,
      created_at: i,
      updated_at: String(1_000 + i),
    }));
    let edits = 0;
    const answer = async (url: string | URL | Request) => {
      const { searchParams } = new URL(String(url));
      const page = Number(searchParams.get('page'));
      const isNewestFirst = searchParams.get('sort') === 'created_at';
      links.sort((a, b) => (isNewestFirst ? b.created_at - a.created_at : Number(a.updated_at) - Number(b.updated_at)));
      const data = links.slice((page - 1) * 100, page * 100).map((link) => ({ ...link }));
      links[0]!.updated_at = String(2_000 + edits++);
      return Response.json({ data, total: 350, page, limit: 100, total_pages: 4 });
    };
    const sdk = new Waypost({ url: 'https://sho.example.com', apiKey: 'key', fetch: answer });
    const slugs: string[] = [];
    for await (const { slug } of sdk.listAll({ sort: 'updated_at', order: 'asc' })) slugs.push(slug);
    expect(slugs).toEqual(Array.from({ length: 350 }, (_, i) => `s${i}`));
  });

  test('ends even if links stop matching before every answer', async () => {
    const always = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [i + 1, [i]]));
    const { sdk, answers } = shrinking(350, always);
    const slugs: string[] = [];
    for await (const { slug } of sdk.listAll()) slugs.push(slug);
    expect(slugs.length).toBeGreaterThan(340);
    expect(answers()).toBeLessThanOrEqual(5 * 4);
  });
});
