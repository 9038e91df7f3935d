/** The path of a click, from a visitor to the analytics. Read it as your second test. */
import { expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { comesTo, newLink, visit } from '../support.ts';

const { waypost, newClient } = product();

test('clicks show up in the figures of their link, day by day', async () => {
  const api = await newClient();
  const { slug } = await newLink(api);
  const today = () => new Date().toISOString().slice(0, 10);
  const days = [today()];

  const phone = { 'User-Agent': 'Mozilla/5.0 (Android 15; Mobile; rv:142.0) Gecko/142.0 Firefox/142.0' };
  await visit(waypost.redirect, `/${slug}`, {
    headers: { 'X-Forwarded-For': '8.8.8.8', Referer: 'https://news.example.org/' },
  });
  await visit(waypost.redirect, `/${slug}`, { headers: { 'X-Forwarded-For': '8.8.8.8' } });
  await visit(waypost.redirect, `/${slug}`, { headers: { 'X-Forwarded-For': '129.132.1.1', ...phone } });
  days.push(today());

  const read = async () => (await api('GET', `/api/v1/links/${slug}/analytics?period=30d`)).body;
  const figures = await comesTo(read, { total_clicks: 3 }, 30_000);
  expect(figures).toEqual({
    slug,
    period: '30d',
    total_clicks: 3,
    unique_visitors: 2,
    bot_clicks: 0,
    time_series: expect.any(Array),
    top_referrers: [
      { referrer: 'direct', count: 2 },
      { referrer: 'news.example.org', count: 1 },
    ],
    top_countries: [
      { country: 'US', count: 2 },
      { country: 'CH', count: 1 },
    ],
    top_devices: [
      { device: 'desktop', count: 2 },
      { device: 'mobile', count: 1 },
    ],
    top_browsers: [
      { browser: 'Chrome', count: 2 },
      { browser: 'Firefox', count: 1 },
    ],
  });
  expect(figures.time_series).toHaveLength(30);
  const clicked = figures.time_series.filter(({ clicks }: { clicks: number }) => clicks > 0);
  for (const { date } of clicked) expect(days).toContain(date);
  expect(clicked.reduce((sum: number, { clicks }: { clicks: number }) => sum + clicks, 0)).toBe(3);
});
