import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DESTINATION, eventually, newLink, newSlug, newSlugs, times, visit } from '../support.ts';
import { check, dashboard, inDialog, revokeRow } from './browser.ts';

const { waypost, newPage, newUser, expectContent } = dashboard();

const CLICKS = '**/api/v1/links/clicks?*';
const row = (page: Page, slug: string) => page.locator('tbody tr', { has: page.getByRole('link', { name: slug }) });
const clicksOf = (page: Page, slug: string) => row(page, slug).locator('.clicks .wide').textContent();

test('the list shows the clicks of each link after its rows, and is sorted by them on request', async () => {
  const { page, api } = await newUser();
  const [often, once, never] = (await newSlugs(api, 3)) as [string, string, string];
  for (const slug of [often, often, often, once]) {
    const agent = slug === once ? 'Googlebot/2.1' : 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0';
    expect((await visit(waypost.redirect, `/${slug}`, { headers: { 'User-Agent': agent } })).status).toBe(302);
  }
  const own = async (slug: string) => {
    const { body } = await api('GET', `/api/v1/links/${slug}/analytics?period=30d`);
    return String(body.total_clicks);
  };
  expect(
    await eventually(
      () => Promise.all([often, once, never].map(own)),
      (all) => all.join() === '3,1,0',
      30_000,
    ),
  ).toEqual(['3', '1', '0']);

  const hold = Promise.withResolvers<void>();
  let requests = 0;
  await page.route(CLICKS, async (route) => {
    requests++;
    await hold.promise;
    await route.continue();
  });
  await page.reload();
  await row(page, never).waitFor();
  expect(await page.locator('tbody .c-clicks .sk').count()).toBe(3);
  await check(page, 'clicks-awaited');
  hold.resolve();
  await row(page, often).getByText('3', { exact: true }).waitFor();
  for (const slug of [often, once, never]) expect(await clicksOf(page, slug)).toBe(await own(slug));
  expect(requests).toBe(1);
  await check(page, 'clicks');

  await page.getByRole('button', { name: 'Clicks, 30 days' }).press('Enter');
  await page.getByText('Links without clicks are not listed.').first().waitFor();
  await row(page, never).waitFor({ state: 'detached' });
  const slugs = () => page.locator('tbody .link a').allTextContents();
  expect(await slugs()).toEqual([often, once].map((slug) => expect.stringContaining(slug)));
  const head = page.getByRole('columnheader', { name: 'Clicks, 30 days' });
  expect(await head.getAttribute('aria-sort')).toBe('descending');
  await check(page, 'clicks-sorted');
  await page.getByLabel('Order').selectOption('Fewest clicks first');
  await page.waitForURL(/sort=clicks&order=asc/);
  await eventually(slugs, ([first]) => first!.includes(once), 5_000);
  await page.reload();
  await row(page, once).waitFor();
  await page.getByLabel('Search links').fill(often);
  await page.getByText('1–1 of 1').waitFor();
}, 120_000);

test('a new link has no clicks, a revoked link keeps its clicks, and the phone shows both', async () => {
  const { page, api } = await newUser();
  const slug = await newSlug(api);
  await visit(waypost.redirect, `/${slug}`);
  await page.reload();
  await eventually(
    async () => {
      await page.reload();
      await row(page, slug).locator('.clicks').waitFor();
      return clicksOf(page, slug);
    },
    (clicks) => clicks === '1',
    30_000,
  );
  await page.getByLabel('Long URL').fill(`${DESTINATION}?new`);
  await page.keyboard.press('Enter');
  await page.locator('tbody tr').nth(1).waitFor();
  await page.locator('tbody tr').first().locator('.clicks').getByText('0', { exact: true }).waitFor();
  expect(await clicksOf(page, slug)).toBe('1');
  await revokeRow(page, slug);
  await inDialog(page, 'Revoke permanently').click();
  await row(page, slug).getByText('Revoked').waitFor();
  expect(await clicksOf(page, slug)).toBe('1');

  await newLink(api, { destination_url: `${DESTINATION}?${'long'.repeat(80)}`, tags: times(10, (i) => `tag ${i}`) });
  const phone = { locale: 'de-DE', viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page: german } = await newPage({ ...phone, storageState: await page.context().storageState() });
  await german.goto(`${waypost.api}/links`);
  await row(german, slug).getByText('1 Klick', { exact: true }).waitFor();
  expect(await german.locator('.spark').first().isVisible()).toBe(false);
  await check(german, 'clicks-german');
}, 120_000);

test('when the clicks do not load, the rows stay, with a dash that says so', async () => {
  const { page, api } = await newUser();
  const slug = await newSlug(api);
  await page.route(CLICKS, (route) => route.abort());
  await page.reload();
  await row(page, slug).waitFor();
  await row(page, slug).getByTitle('The clicks could not be loaded.').waitFor({ timeout: 30_000 });
  expect(await page.getByRole('alert').count()).toBe(0);
  await check(page, 'clicks-failed');
  await page.goto(`${waypost.api}/links?sort=clicks`);
  await page.getByText('No clicks in the last 30 days.').waitFor();
  await check(page, 'clicks-none');
  await page.unroute(CLICKS);
  await page.locator('.empty').getByRole('button', { name: 'Newest first' }).click();
  await row(page, slug).getByText('0', { exact: true }).waitFor();
}, 120_000);

test('no browser complained or sent requests to other hosts', () => expectContent(4));
