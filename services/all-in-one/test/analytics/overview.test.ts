/** The clicks of a whole account, and of several links at once. Each figure equals the sum of the links' own. */
import { describe, expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { comesTo, expectError, figuresOf, freshSlug, newSlug, newSlugs, queriesOf, times, visit } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost, api, newClient } = product();
type Api = typeof api;

const BOT = { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
const click = (slug: string, visitor: number, headers: Record<string, string> = {}) =>
  visit(waypost.redirect, `/${slug}`, { headers: { 'X-Forwarded-For': `8.8.${visitor}.8`, ...headers } });

const overviewOf = async (client: Api, query = ''): Promise<Json> =>
  (await client('GET', `/api/v1/analytics${query}`)).body;
async function clicksOf(client: Api, slugs: readonly string[], query = ''): Promise<Json[]> {
  const { status, body } = await client('GET', `/api/v1/links/clicks?slugs=${slugs.join(',')}${query}`);
  expect([status, body.links?.map(({ slug }: Json) => slug)]).toEqual([200, slugs]);
  return body.links;
}

/** Compares the account's figures, and those of its links at once, with what each link says about itself. */
async function expectSums(client: Api, slugs: readonly string[], query: string): Promise<Json> {
  const own: Json[] = [];
  // More at once would wait so long for their turns that the API refuses them.
  for (let from = 0; from < slugs.length; from += 10)
    own.push(...(await Promise.all(slugs.slice(from, from + 10).map((slug) => figuresOf(client, slug, query)))));
  const overview = await overviewOf(client, query);
  const sum = (field: string) => own.reduce((total, figures) => total + figures[field], 0);
  const sums = (lists: readonly Json[][], name: string) => {
    const counts = new Map<string, number>();
    for (const entry of lists.flat()) counts.set(entry[name], (counts.get(entry[name]) ?? 0) + entry.count);
    return [...counts]
      .map(([value, count]) => ({ [name]: value, count }))
      .sort((a, b) => Number(b.count) - Number(a.count));
  };
  for (const field of ['total_clicks', 'unique_visitors', 'bot_clicks'])
    expect([field, overview[field]]).toEqual([field, sum(field)]);
  for (const name of ['referrer', 'device', 'browser']) {
    const list = { referrer: 'top_referrers', device: 'top_devices', browser: 'top_browsers' }[name]!;
    expect(overview[list]).toEqual(
      sums(
        own.map((figures) => figures[list]),
        name,
      ),
    );
  }
  expect(overview.time_series).toEqual(
    overview.time_series.map(({ date }: Json, day: number) => ({
      date,
      clicks: own.reduce((total, figures) => total + figures.time_series[day].clicks, 0),
    })),
  );
  const ranked = own
    .map(({ slug, total_clicks: clicks }) => ({ slug, title: null, clicks }))
    .filter(({ clicks }) => clicks > 0)
    .sort((a, b) => b.clicks - a.clicks || (a.slug < b.slug ? -1 : 1));
  expect(overview.top_links).toEqual(ranked.slice(0, 10));
  const listed: Json[] = [];
  for (let from = 0; from < slugs.length; from += 100)
    listed.push(...(await clicksOf(client, slugs.slice(from, from + 100), query.replace('?', '&'))));
  expect(listed).toEqual(own.map(({ slug, total_clicks, time_series }) => ({ slug, total_clicks, time_series })));
  return overview;
}

const PERIODS = ['7d', '30d', '90d'];
const EVERY_QUERY = PERIODS.flatMap((period) => [`?period=${period}`, `?period=${period}&bots=exclude`]);

describe('the figures of an account', () => {
  // The figures of links come by 100, and the top list has ten.
  test.each([1, 2, 110])('with %i links are the sum of its links, to the click', async (count) => {
    const client = await newClient();
    const slugs = await newSlugs(client, count);
    const clicked = slugs.filter((_, i) => i % 10 === 0);
    for (const [i, slug] of clicked.entries()) {
      for (const visitor of times(1 + (i % 3), (n) => n)) await click(slug, visitor);
      await click(slug, 0, BOT);
      await click(slug, 7, { 'Sec-Purpose': 'prefetch' });
      await visit(waypost.redirect, `/${slug}+`);
    }
    expect((await client('POST', `/api/v1/links/${slugs[0]}/revoke`)).status).toBe(200);
    const clicks = clicked.reduce((sum, _, i) => sum + 2 + (i % 3), 0);
    await comesTo(() => overviewOf(client), { total_clicks: clicks }, 30_000);
    // The figures of 110 links are 110 requests.
    for (const query of count < 110 ? EVERY_QUERY : EVERY_QUERY.slice(-2)) {
      const overview = await expectSums(client, slugs, query);
      expect(overview.previous).toEqual(query.includes('90d') ? null : { total_clicks: 0, unique_visitors: 0 });
      expect(overview.links).toEqual({ created: count, flagged: 0, revoked: 1 });
    }
  });

  test('without links or clicks are zeros for each day', async () => {
    const overview = await overviewOf(await newClient(), '?period=90d');
    expect(overview).toMatchObject({ total_clicks: 0, unique_visitors: 0, top_links: [], top_referrers: [] });
    expect(overview.time_series.map(({ clicks }: Json) => clicks)).toEqual(times(90, () => 0));
    expect(overview.links).toEqual({ created: 0, flagged: 0, revoked: 0 });
  });

  test('never include another account', async () => {
    const [one, other] = [await newClient(), await newClient()];
    const [slug, foreign] = [await newSlug(one, { title: 'Menu' }), await newSlug(other)];
    await click(slug, 1);
    for (const visitor of [1, 2]) await click(foreign, visitor);
    await comesTo(() => overviewOf(other), { total_clicks: 2 }, 30_000);
    await comesTo(() => overviewOf(one), { total_clicks: 1, top_links: [{ slug, title: 'Menu', clicks: 1 }] }, 30_000);
    expectError(await one('GET', `/api/v1/links/clicks?slugs=${slug},${foreign}`), 404);
    for (const odd of [freshSlug(), 'ab', '%00', '%ff', '__proto__'])
      expectError(await one('GET', `/api/v1/links/clicks?slugs=${slug},${odd}`), 404);
  });

  test('sort the list of links', async () => {
    const client = await newClient();
    const [few, none, many] = (await newSlugs(client, 3)) as [string, string, string];
    for (const visitor of [1, 2, 3]) await click(many, visitor);
    await click(few, 1);
    const listed = async (query: string) =>
      (await client('GET', `/api/v1/links?sort=clicks${query}`)).body.data.map(({ slug }: Json) => slug);
    await comesTo(() => overviewOf(client, '?period=30d'), { total_clicks: 4 }, 30_000);
    expect(await listed('')).toEqual([many, few]);
    expect(await listed('&order=asc')).toEqual([few, many]);
    expect(await listed('&limit=1&page=2')).toEqual([few]);
    expect(await listed(`&search=${few}`)).toEqual([few]);
    expect(await listed(`&search=${none}`)).toEqual([]);
    expect((await client('GET', '/api/v1/links?sort=clicks&limit=1')).body).toMatchObject({ total: 2 });
  });
});

describe('access', () => {
  const PATHS = ['/api/v1/analytics', '/api/v1/links/clicks?slugs=abc'];

  test('a read key suffices, and a write key does not', async () => {
    const [reader, writer] = [await newClient('read'), await newClient('write')];
    const slug = await newSlug(api);
    expect((await reader('GET', '/api/v1/analytics')).status).toBe(200);
    expectError(await reader('GET', `/api/v1/links/clicks?slugs=${slug}`), 404);
    for (const path of PATHS) {
      expectError(await writer('GET', path), 403);
      expectError(await apiClient(waypost.api, 'none')('GET', path), 401);
    }
  });

  const among = (count: number) => times(count, (i) => `slug-${i}`).join(',');
  test.each(
    queriesOf([
      ['period', ['', '1d', '7D', '7d&period=7d', '__proto__']],
      ['bots', ['', 'no', 'exclude&bots=include']],
      ['slug', ['abc']],
    ]),
  )('refuses ?%s, and names the parameter', async (query, name) => {
    expectError(await api('GET', `/api/v1/analytics?${query}`), 400, [name]);
    expectError(await api('GET', `/api/v1/links/clicks?slugs=abc&${query}`), 400, [name]);
  });

  test.each([
    ['none', ''],
    ['an empty list', '?slugs='],
    ['an empty slug', '?slugs=abc,,def'],
    ['101 slugs', `?slugs=${among(101)}`],
    ['a repeated slug', '?slugs=abc,def,abc'],
    ['a slug that is given twice', '?slugs=abc&slugs=def,abc'],
  ])('refuses slugs: %s', async (_, query) => {
    expectError(await api('GET', `/api/v1/links/clicks${query}`), 400, ['slugs']);
  });

  test('100 slugs are not too many, in one parameter or in several', async () => {
    expectError(await api('GET', `/api/v1/links/clicks?slugs=${among(100)}`), 404);
    expectError(await api('GET', `/api/v1/links/clicks?slugs=${among(100).replaceAll(',', '&slugs=')}`), 404);
  });
});
