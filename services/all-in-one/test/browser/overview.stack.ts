import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { comesTo, figuresOf, freshSlug, listedUrl, newSlug, newSlugs, visit } from '../support.ts';
import { startReceiver } from '../webhook-receiver.ts';
import { button, check, contentOf, dashboard, downloaded, heading, signIn } from './browser.ts';

const { waypost, newPage, newUser, newAdministrator, open, expectContent } = dashboard({
  WEBHOOK_HOSTS_ALLOWED: '127.0.0.0/8',
});
const receiver = await startReceiver();

const BOT = { 'User-Agent': 'Googlebot/2.1' };
const PREFETCH = { 'Sec-Purpose': 'prefetch' };

const figures = (page: Page) =>
  page.locator('.fig').evaluateAll((all) => all.map((each) => [...each.children].map((part) => part.textContent)));
const look = (page: Page) => page.locator('aside section');
const lines = (page: Page) => look(page).locator('li').allTextContents();

test('the overview has the sums of the figures of the links, by period, with and without bots', async () => {
  const { page, api } = await newUser();
  await heading(page, 'Links').waitFor();
  await page.getByText('No links yet.').waitFor();
  const [often = '', once = ''] = await newSlugs(api, 2);
  for (let i = 0; i < 3; i++) await visit(waypost.redirect, `/${often}`);
  await visit(waypost.redirect, `/${often}`, { headers: BOT });
  await visit(waypost.redirect, `/${often}`, { headers: PREFETCH });
  await visit(waypost.redirect, `/${once}`);
  const ofLinks = () => Promise.all([often, once].map((slug) => figuresOf(api, slug)));
  await comesTo(ofLinks, [
    { total_clicks: 4, bot_clicks: 1 },
    { total_clicks: 1, bot_clicks: 0 },
  ]);
  const [first, second] = await ofLinks();
  const visitors = String(first!.unique_visitors + second!.unique_visitors);

  await open(page, '/', 'Overview');
  await comesTo(
    () => figures(page),
    [
      ['5', 'new', 'Clicks'],
      ['4', 'new', 'People'],
      ['1', 'new', 'Bots'],
      [visitors, 'new', 'Unique visitors'],
    ],
  );
  await page.getByText('Changes are compared with the previous 7 days.').waitFor();
  await look(page).getByText('Nothing needs your attention.').waitFor();
  const top = page.locator('section', { hasText: 'Top links' }).locator('li');
  expect(await top.allTextContents()).toEqual([`${often}480%`, `${once}120%`]);
  const counts = page.locator('section', { hasText: 'Links in this period' }).locator('li');
  expect(await counts.allTextContents()).toEqual(['2Created', '0Flagged', '0Revoked']);
  await button(page, 'Show as table').press('Enter');
  expect(await page.locator('.days tbody tr').last().locator('td').allTextContents()).toEqual([
    expect.any(String),
    '4',
    '1',
  ]);
  const csv = await contentOf(await downloaded(page, () => button(page, 'Download CSV').press('Enter')));
  expect(csv.trimEnd().split('\r\n').at(-1)).toMatch(/,4,1$/);
  await check(page, 'overview');

  await page.getByLabel('Include bots').press('Space');
  await comesTo(
    () => figures(page),
    [
      ['4', 'new', 'Clicks'],
      [expect.any(String), 'new', 'Unique visitors'],
    ],
  );
  await button(page, '90 days').press('Enter');
  await page.getByText(/^No changes are shown, because clicks are kept for only 100 days/).waitFor();
  expect((await figures(page))[0]).toEqual(['4', 'Clicks']);
  expect(new URL(page.url()).search).toBe('?bots=exclude&days=90');
  await page.reload();
  await button(page, '90 days').and(page.locator('[aria-pressed=true]')).waitFor();
  await check(page, 'overview-90');

  await page.getByRole('link', { name: often }).press('Enter');
  await page.getByText('Scan').waitFor();
  expect(new URL(page.url()).pathname).toBe(`/links/${often}`);
  await page.getByRole('link', { name: 'Waypost, home' }).press('Enter');
  await heading(page, 'Overview').waitFor();
  await page.keyboard.press('n');
  await page.keyboard.type('https://www.wikipedia.org/new');
  await page.keyboard.press('Enter');
  await page.locator('.note.good').waitFor();
  await comesTo(() => counts.first().textContent(), '3Created');
}, 120_000);

test('what happened since the last visit is listed, each leads to where to act, and a part may fail', async () => {
  const { page, api } = await newAdministrator();
  const url = await listedUrl(waypost, 'phishing');
  const [refused = '', granted = ''] = await newSlugs(api, 2, () => ({ destination_url: url }));
  for (const [slug, decision] of [
    [refused, 'dismissed'],
    [granted, 'upheld'],
  ]) {
    const review = await api('POST', `/api/v1/links/${slug}/review-request`, { message: 'It is our shop.' });
    const path = `/api/v1/admin/cases/${review.body.number}/decision`;
    const decided = await api('POST', path, { decision, reason: `We looked. \u202e<b>${decision}</b>` });
    expect(decided.status).toBe(200);
  }
  const inTenDays = new Date(Date.now() + 10 * 24 * 60 * 60_000).toISOString();
  await api('POST', '/api/v1/account/keys', { name: 'laptop', scopes: ['read'], expires_at: inTenDays });
  receiver.answer((_received, response) => {
    response.statusCode = 500;
    response.end();
  });
  const webhook = await api('POST', '/api/v1/webhooks', { url: receiver.url, events: ['link.flagged'] });
  await api('POST', `/api/v1/webhooks/${webhook.body.id}/test`);
  const { host } = new URL(receiver.url);

  await open(page, '/', 'Overview');
  const whole = [
    expect.stringMatching(new RegExp(`^${refused}.*Flagged: suspected of phishing\\.$`)),
    expect.stringMatching(new RegExp(`^${granted}.*Cleared: your review request was upheld\\.We looked\\. .*upheld`)),
    expect.stringMatching(
      new RegExp(`^${refused}.*Still flagged: your review request was dismissed\\.We looked\\. .*dismissed`),
    ),
    expect.stringContaining(`${host} This webhook is failing. No delivery has succeeded since`),
    expect.stringContaining('laptop This API key expires on'),
  ];
  await comesTo(async () => {
    await page.reload();
    await look(page).getByText('laptop').waitFor();
    await look(page).locator('[aria-busy]').waitFor({ state: 'detached' });
    return lines(page);
  }, whole);
  await check(page, 'overview-look');
  await look(page).getByRole('link', { name: host }).press('Enter');
  await heading(page, host).waitFor();
  await page.goBack();
  await look(page).getByRole('link', { name: refused }).first().press('Enter');
  await button(page, 'Request a review…').waitFor();

  await page.route('**/api/v1/webhooks', (route) => route.fulfill({ status: 500, body: 'x' }));
  await open(page, '/', 'Overview');
  await look(page).getByText('Your webhooks could not be loaded.').waitFor();
  expect(await lines(page)).toHaveLength(4);
  await page.locator('.fig').first().waitFor();
  await check(page, 'overview-part-failed');
  await page.unroute('**/api/v1/webhooks');
  await button(page, 'Try again').press('Enter');
  await look(page).getByRole('link', { name: host }).waitFor();
  await page.route('**/api/v1/analytics?*', (route) => route.fulfill({ status: 500, body: 'x' }));
  await page.reload();
  await page.locator('.clicks-card').getByText('This could not be loaded.').waitFor();
  expect(await lines(page)).toHaveLength(5);
  await page.unroute('**/api/v1/analytics?*');

  // The next visit starts after half an hour.
  await page.evaluate(`for (const key of Object.keys(localStorage)) if (key.startsWith('visits '))
    localStorage.setItem(key, '0 ' + (Date.now() - 31 * 60_000));`);
  const later = freshSlug('later');
  await newSlug(api, { destination_url: url, custom_slug: later });
  await page.reload();
  await look(page).getByText(later).waitFor();
  await look(page)
    .getByText(/^Flags and review decisions since .*, your last visit in this browser\.$/)
    .waitFor();
}, 120_000);

test('the navigation leads to the overview, which speaks German', async () => {
  const { page, api, email } = await newUser();
  await newSlug(api);
  await page.goto(`${waypost.api}/links`);
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Overview' }).press('Enter');
  await heading(page, 'Overview').waitFor();
  expect(await page.title()).toBe('Overview · Waypost');

  const { page: german } = await newPage({ locale: 'de-DE', viewport: { width: 390, height: 844 } });
  await german.goto(waypost.api);
  await signIn(german, email);
  await heading(german, 'Übersicht').waitFor();
  await german.getByText('Gerade gibt es nichts anzusehen.').waitFor();
  await german.getByText('Keine Klicks in den letzten 7 Tagen.').waitFor();
  await check(german, 'overview-german');
}, 120_000);

test('no browser complained or sent requests to other hosts', expectContent);
