import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import { comesTo, expectError, figuresOf, listedUrl, newSlug, queriesOf, times, visit } from '../support.ts';
import type { Json } from '../waypost-process.ts';

const { waypost, api, newClient } = product();

/**
 * Most clicks are stored within a second. Figures are cached for three seconds, so an early request would delay the
 * test.
 */
const ARRIVAL_MS = 1_100;
/** Resolves to the figures once all these clicks count. Visits that must not count come before these clicks. */
async function after(slug: string, clicks: number): Promise<Json> {
  await pause(ARRIVAL_MS);
  return comesTo(() => figuresOf(api, slug), { total_clicks: clicks }, 30_000);
}
const click = (slug: string, headers: Record<string, string> = {}) => visit(waypost.redirect, `/${slug}`, { headers });
const from = (ip: string, headers: Record<string, string> = {}) => ({ 'X-Forwarded-For': ip, ...headers });
const sum = (rows: Json[]) => rows.reduce((total: number, row: Json) => total + (row.clicks ?? row.count), 0);

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:142.0) Gecko/20100101 Firefox/142.0';
/** README.md names their number. Several chats use the preview of another: Messenger and Instagram that of Facebook. */
const CHAT_PREVIEWS = [
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'TelegramBot (like TwitterBot)',
  'WhatsApp/2.23.20.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Twitterbot/1.0',
  'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
  'Mastodon/4.5.0 (http.rb/5.3.1; +https://mastodon.example/) Bot',
  'Mozilla/5.0 (compatible; redditbot/1.0; +http://www.reddit.com/feedback)',
];
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';

// libs/domain/src/analytics.test.ts tests the days of a period. libs/adapter-clickhouse/test/click-stats.test.ts tests
// each list.
describe('the answer', () => {
  test('for a link without clicks has every field, zeros, and one entry per day that ends with today', async () => {
    const slug = await newSlug(api);
    const today = () => new Date().toISOString().slice(0, 10);
    const before = today();
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
    expect(body.time_series.map(({ clicks }: Json) => clicks)).toEqual(times(7, () => 0));
    expect([before, today()]).toContain(body.time_series.at(-1).date);
    expect((await figuresOf(api, slug, '?period=90d')).time_series).toHaveLength(90);
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

  test("is the same 404 for a missing link and for another account's", async () => {
    const slug = await newSlug(api);
    const other = await newClient();
    expectError(await other('GET', `/api/v1/links/${slug}/analytics`), 404);
    for (const odd of ['no-such-slug', 'ab', '%00', '%ff', '__proto__']) {
      expectError(await api('GET', `/api/v1/links/${odd}/analytics`), 404);
    }
  });
});

describe('a click', () => {
  test('is a GET that was redirected, and nothing else', async () => {
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

  test('counts for a link that is revoked later, and not on the page of a revoked or flagged link', async () => {
    const [flagged, revoked] = [await newSlug(api, { destination_url: await listedUrl(waypost) }), await newSlug(api)];
    await click(revoked);
    await api('POST', `/api/v1/links/${revoked}/revoke`);
    for (const slug of [flagged, revoked]) expect([403, 410]).toContain((await click(slug)).status);
    await after(revoked, 1);
    expect((await figuresOf(api, flagged)).total_clicks).toBe(0);
  });

  test('of a bot counts, is marked, and is left out of every figure on request', async () => {
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

  test('of a chat that shows a preview is never one of a person', async () => {
    const slug = await newSlug(api);
    for (const agent of CHAT_PREVIEWS) await click(slug, { 'User-Agent': agent });
    expect(await after(slug, CHAT_PREVIEWS.length)).toMatchObject({ bot_clicks: CHAT_PREVIEWS.length });
    const people = await figuresOf(api, slug, '?bots=exclude');
    expect(people).toMatchObject({ total_clicks: 0, unique_visitors: 0 });
  });
});

describe('a visitor', () => {
  test('has no address in the log or in any file', async () => {
    const slug = await newSlug(api);
    await click(slug, from('198.18.77.133'));
    await after(slug, 1);
    expect(waypost.output()).not.toContain('198.18.77.133');
    // Unlike a listing by Node, grep goes on when the store removes a file meanwhile.
    const filesWith = (text: string) => {
      const { stdout, stderr } = spawnSync('grep', ['-rlF', text, waypost.dataDir], {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: 'C' },
      });
      expect(stderr.replace(/.*: No such file or directory\n/g, '')).toBe('');
      return stdout.split('\n').filter(Boolean);
    };
    expect(filesWith(slug)).not.toEqual([]);
    expect(filesWith('198.18.77.133')).toEqual([]);
  });
});
