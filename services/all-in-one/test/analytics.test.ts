/** GET /api/v1/links/:slug/analytics, and which visits are clicks. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { rotateVisitorSecret } from '@waypost/adapter-embedded';
import { pause } from '@waypost/test-support';
import { product } from './product.ts';
import { BROWSER, comesTo, expectError, figuresOf, listedUrl, newSlug, queriesOf, times, visit } from './support.ts';
import type { Json } from './waypost-process.ts';

const { waypost, api, newClient } = product({ TRUSTED_PROXIES: '127.0.0.0/8,10.9.0.0/16' });
const direct = product();

/** A click is mostly there within a second. Who asks before that gets the same figures for three seconds. */
const ARRIVAL_MS = 1_100;
/** The figures once all these clicks count; requests that must not count come before them. */
async function after(slug: string, clicks: number, query = '', client = api): Promise<Json> {
  await pause(ARRIVAL_MS);
  return comesTo(() => figuresOf(client, slug, query), { total_clicks: clicks }, 30_000);
}
const click = (slug: string, headers: Record<string, string> = {}, base = waypost.redirect) =>
  visit(base, `/${slug}`, { headers });
const from = (ip: string, headers: Record<string, string> = {}) => ({ 'X-Forwarded-For': ip, ...headers });
const sum = (rows: Json[]) => rows.reduce((total: number, row: Json) => total + (row.clicks ?? row.count), 0);

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
const IPAD =
  'Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

describe('the answer', () => {
  test('for a link without clicks has every field, zeros and one entry per day', async () => {
    const slug = await newSlug(api);
    const { status, body } = await api('GET', `/api/v1/links/${slug}/analytics`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      slug,
      period: '7d',
      total_clicks: 0,
      unique_visitors: 0,
      bot_clicks: 0,
      top_referrers: [],
      top_countries: [],
      top_devices: [],
      top_browsers: [],
    });
    expect(body.time_series).toHaveLength(7);
  });

  test.each([
    ['7d', 7],
    ['30d', 30],
    ['90d', 90],
  ])('for %s covers that many UTC days, today last, none missing', async (period, days) => {
    const slug = await newSlug(api);
    const today = () => new Date().toISOString().slice(0, 10);
    const before = today();
    const body = await figuresOf(api, slug, `?period=${period}`);
    expect(body.period).toBe(period);
    const dates: string[] = body.time_series.map(({ date }: Json) => date);
    expect([before, today()]).toContain(dates.at(-1));
    const last = Date.parse(dates.at(-1)!);
    expect(dates).toEqual(times(days, (i) => new Date(last - (days - 1 - i) * 86_400_000).toISOString().slice(0, 10)));
    for (const { clicks } of body.time_series) expect(clicks).toBe(0);
  });

  test('exist for a flagged and for a revoked link', async () => {
    const flagged = await newSlug(api, { destination_url: await listedUrl(waypost) });
    expect((await figuresOf(api, flagged)).total_clicks).toBe(0);
    const revoked = await newSlug(api);
    await click(revoked);
    await api('POST', `/api/v1/links/${revoked}/revoke`);
    await after(revoked, 1);
  });

  test.each(
    queriesOf([
      ['period', ['', '1d', '7D', '7', '7d&period=7d', '__proto__', 'constructor']],
      ['bots', ['', 'no', 'exclude&bots=include']],
      ['from', ['2026-01-01']],
    ]),
  )('to ?%s is 400', async (query, name) => {
    const slug = await newSlug(api);
    expectError(await api('GET', `/api/v1/links/${slug}/analytics?${query}`), 400, [name]);
  });

  test("for a missing link and for another account's is the same 404", async () => {
    const slug = await newSlug(api);
    const other = await newClient();
    expectError(await other('GET', `/api/v1/links/${slug}/analytics`), 404);
    for (const odd of ['no-such-slug', 'ab', '%00', '%ff', '__proto__']) {
      expectError(await api('GET', `/api/v1/links/${odd}/analytics`), 404);
    }
  });
});

describe('a click', () => {
  test('is a GET that was redirected, and nothing else is', async () => {
    const slug = await newSlug(api);
    const prefetches = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz'].flatMap((name) =>
      ['prefetch', 'preview', 'PREFETCH;anonymous-client-ip'].map((value) => ({ [name]: value })),
    );
    for (const headers of prefetches) expect((await click(slug, headers)).status).toBe(302);
    expect((await visit(waypost.redirect, `/${slug}`, { method: 'HEAD' })).status).toBe(302);
    expect((await visit(waypost.redirect, `/${slug}`, { method: 'POST' })).status).toBe(405);
    expect((await visit(waypost.redirect, `/${slug}+`)).status).toBe(200);
    for (const path of [slug, `${slug}/`, `${slug}.`, `${slug}?utm_source=x`]) {
      expect((await visit(waypost.redirect, `/${path}`)).status).toBe(302);
    }
    expect((await visit(waypost.redirect, `/${slug}`, { headers: { Accept: 'application/json' } })).status).toBe(302);
    const body = await after(slug, 5);
    expect(body.time_series.at(-1).clicks + body.time_series.at(-2).clicks).toBe(5);
    expect(sum(body.time_series)).toBe(5);
  });

  test('is not counted on the page of a flagged or a revoked link', async () => {
    const [flagged, revoked, marker] = [
      await newSlug(api, { destination_url: await listedUrl(waypost) }),
      await newSlug(api),
      await newSlug(api),
    ];
    await api('POST', `/api/v1/links/${revoked}/revoke`);
    for (const slug of [flagged, revoked]) expect([403, 410]).toContain((await click(slug)).status);
    await click(marker);
    await after(marker, 1);
    for (const slug of [flagged, revoked]) expect((await figuresOf(api, slug)).total_clicks).toBe(0);
  });

  test('of a bot counts, is marked as such, and is left out of every figure on demand', async () => {
    const slug = await newSlug(api);
    for (let i = 0; i < 3; i++)
      await click(slug, from('8.8.8.8', { 'User-Agent': GOOGLEBOT, Referer: 'https://bots.example.com/' }));
    for (let i = 0; i < 2; i++) await click(slug, from('129.132.1.1', { 'User-Agent': FIREFOX }));
    const all = await after(slug, 5);
    expect(all).toMatchObject({ bot_clicks: 3, unique_visitors: 2 });
    expect(await figuresOf(api, slug, '?bots=include')).toEqual(all);
    const people = await figuresOf(api, slug, '?bots=exclude');
    expect(people).toMatchObject({
      total_clicks: 2,
      unique_visitors: 1,
      top_referrers: [{ referrer: 'direct', count: 2 }],
      top_countries: [{ country: 'CH', count: 2 }],
      top_browsers: [{ browser: 'Firefox', count: 2 }],
    });
    expect(sum(people.time_series)).toBe(2);
    expect(sum(people.top_devices)).toBe(2);
  });

  test('counts once for each of 200 at once', async () => {
    const slug = await newSlug(api);
    await Promise.all(times(200, (i) => click(slug, from(`8.8.${i % 4}.${i}`))));
    const body = await after(slug, 200);
    expect(body).toMatchObject({ unique_visitors: 200, top_devices: [{ device: 'desktop', count: 200 }] });
  });
});

describe('a visitor', () => {
  test('is one per address and link', async () => {
    const slug = await newSlug(api);
    for (const ip of ['8.8.8.8', '8.8.8.8', '8.8.4.4', '2001:4860:4860::8888', '2001:4860:4860:0:0:0:0:8888']) {
      await click(slug, from(ip));
    }
    expect((await after(slug, 5)).unique_visitors).toBe(3);
  });

  test('is the last address that is no trusted proxy, whatever the client wrote before it', async () => {
    const slug = await newSlug(api);
    for (let i = 1; i <= 4; i++) await click(slug, from(`203.0.113.${i}, 8.8.8.8`));
    await click(slug, from('8.8.8.8, 10.9.1.2'));
    await click(slug, from('8.8.8.8,127.0.0.7 , 10.9.1.2'));
    expect(await after(slug, 6)).toMatchObject({ unique_visitors: 1, top_countries: [{ country: 'US', count: 6 }] });
  });

  test('with a nonsense X-Forwarded-For is still redirected and counted', async () => {
    const slug = await newSlug(api);
    const odd = ['', ',', 'unknown', 'a'.repeat(4_000), '999.1.1.1', '8.8.8.8:1234', '[::1]:80', '"8.8.8.8"', 'ÿ'];
    for (const value of odd) expect((await click(slug, from(value))).status).toBe(302);
    await after(slug, odd.length);
  });

  test('cannot pose as another without a trusted proxy in between', async () => {
    const client = direct.api;
    const slug = await newSlug(client);
    for (let i = 1; i <= 4; i++)
      await click(slug, from(`8.8.8.${i}`, { Forwarded: `for=8.8.8.${i}` }), direct.waypost.redirect);
    expect(await after(slug, 4, '', client)).toMatchObject({ unique_visitors: 1, top_countries: [] });
  });

  test('has no address in the log or in the files', async () => {
    const slug = await newSlug(api);
    await click(slug, from('198.18.77.133'));
    await after(slug, 1);
    expect(waypost.output()).not.toContain('198.18.77.133');
    const files = fs
      .readdirSync(waypost.dataDir, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile());
    expect(files.length).toBeGreaterThan(5);
    for (const file of files) {
      const name = path.join(file.parentPath, file.name);
      const content = fs.existsSync(name) ? fs.readFileSync(name) : Buffer.alloc(0);
      expect([name, content.includes('198.18.77.133')]).toEqual([name, false]);
    }
  });
});

describe('the ten most', () => {
  test('referrers are lower-case host names without www.; unknown ones are "direct"', async () => {
    const slug = await newSlug(api);
    const referrers = [
      'https://www.Example.com/a?b#c',
      'http://example.com:8080/',
      'https://WWW.EXAMPLE.COM',
      'https://news.example.org/x',
      'https://news.example.org/',
      '',
      'nonsense',
      'about:blank',
    ];
    for (const Referer of referrers) await click(slug, { Referer });
    await click(slug);
    const body = await after(slug, 9);
    expect(body.top_referrers).toEqual([
      { referrer: 'direct', count: 4 },
      { referrer: 'example.com', count: 3 },
      { referrer: 'news.example.org', count: 2 },
    ]);
  });

  test('are at most ten, the highest first, ties by name', async () => {
    const slug = await newSlug(api);
    const hosts = ['d', 'c', 'b', 'a', 'l', 'k', 'j', 'i', 'h', 'g', 'f', 'e'].map((name) => `${name}.example.org`);
    await Promise.all(
      [...hosts, 'l.example.org', 'l.example.org', 'k.example.org'].map((host) =>
        click(slug, { Referer: `https://${host}/` }),
      ),
    );
    const body = await after(slug, 15);
    expect(body.top_referrers.map(({ referrer, count }: Json) => `${referrer[0]}${count}`)).toEqual(
      'l3 k2 a1 b1 c1 d1 e1 f1 g1 h1'.split(' '),
    );
  });

  test('countries are two-letter codes, and an unknown one is left out', async () => {
    const slug = await newSlug(api);
    for (const ip of ['8.8.8.8', '8.8.4.4', '129.132.1.1', '10.1.2.3', '127.0.0.1', '198.51.100.7'])
      await click(slug, from(ip));
    const body = await after(slug, 6);
    expect(body.top_countries).toEqual([
      { country: 'US', count: 2 },
      { country: 'CH', count: 1 },
    ]);
  });

  test('devices are desktop, mobile and tablet, and desktop when undecided', async () => {
    const slug = await newSlug(api);
    for (const agent of [BROWSER, FIREFOX, 'Something/1.0', '', IPHONE, IPHONE, IPAD])
      await click(slug, { 'User-Agent': agent });
    const body = await after(slug, 7);
    expect(body.top_devices).toEqual([
      { device: 'desktop', count: 4 },
      { device: 'mobile', count: 2 },
      { device: 'tablet', count: 1 },
    ]);
  });

  test('browsers are listed by name', async () => {
    const slug = await newSlug(api);
    for (const agent of [BROWSER, BROWSER, FIREFOX]) await click(slug, { 'User-Agent': agent });
    const body = await after(slug, 3);
    expect(body.top_browsers).toEqual([
      { browser: 'Chrome', count: 2 },
      { browser: 'Firefox', count: 1 },
    ]);
  });

  test('tolerate hostile headers: nothing crashes, every field stays within its set', async () => {
    const slug = await newSlug(api);
    const odd = [
      '<script>alert(1)</script>',
      "'; DROP TABLE clicks;--",
      'a'.repeat(3_000),
      '\\x00',
      '\u00ff\u00fe',
      '{"a":1}',
      '__proto__',
    ];
    for (const value of odd) {
      expect((await click(slug, { 'User-Agent': value, Referer: `https://${value}/` })).status).toBe(302);
    }
    const body = await after(slug, odd.length);
    for (const { device } of body.top_devices) expect(['desktop', 'mobile', 'tablet']).toContain(device);
    for (const { referrer } of body.top_referrers) expect(referrer).toMatch(/^(direct|[\w.-]{1,253})$/);
    expect(sum(body.top_referrers)).toBe(odd.length);
  });
});

test('a start with a rotated visitor secret counts no visitor twice', async () => {
  const slug = await newSlug(api);
  for (const ip of ['10.1.0.1', '10.1.0.2']) await click(slug, from(ip));
  expect((await after(slug, 2)).unique_visitors).toBe(2);
  // As the operator of separate processes does; `npm run stack` takes VISITOR_SECRET from this file.
  rotateVisitorSecret(waypost.dataDir, new Date(), { leaked: false });
  await waypost.restart();
  for (const ip of ['10.1.0.2', '10.1.0.3']) await click(slug, from(ip));
  expect((await after(slug, 4)).unique_visitors).toBe(3);
}, 120_000);
