import { expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { DESTINATION, eventually, freshSlug, listedUrl, newLink, visit } from '../support.ts';
import { check, dashboard, heading, signIn } from './browser.ts';

const { waypost, newUser, expectContent } = dashboard();

/** A browser sends this event to a page that is shown or hidden. */
const LOOK = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))";

test('a click changes the figures only while the page is visible', async () => {
  const { page, api } = await newUser();
  const { slug } = await newLink(api);
  await page.goto(`${waypost.api}/links/${slug}`);
  await page.getByText('No clicks in the last 7 days.').waitFor();
  await check(page, 'link-without-clicks');
  await page.getByRole('button', { name: 'Show 90 days' }).click();
  for (const agent of ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Googlebot/2.1']) {
    expect((await visit(waypost.redirect, `/${slug}`, { headers: { 'User-Agent': agent } })).status).toBe(302);
  }
  const figure = (name: string) => page.locator('.fig', { hasText: name }).locator('b');
  const figures = async () => Promise.all(['Clicks', 'People', 'Bots'].map((name) => figure(name).textContent()));
  expect(await eventually(figures, ([clicks]) => clicks === '2', 30_000)).toEqual(['2', '1', '1']);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await check(page, 'link-with-clicks');

  let questions = 0;
  page.on('request', (request) => {
    if (request.url().includes('/analytics')) questions++;
  });
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      ${LOOK};`);
  await show('hidden');
  await page.waitForTimeout(500);
  questions = 0;
  await page.waitForTimeout(7_000);
  expect(questions).toBe(0);
  await show('visible');
  await until(() => questions > 0, 7_000);
}, 120_000);

test('a sign-out in one tab is shown in the other, which keeps its work until the next sign-in', async () => {
  const { page, context, email } = await newUser();
  const other = await context.newPage();
  await other.goto(`${waypost.api}/settings`);
  await page.getByRole('button', { name: 'Custom address' }).click();
  const slug = freshSlug();
  await page.getByRole('textbox', { name: 'Custom address' }).fill(slug);
  await page.getByLabel('Long URL').fill(`${DESTINATION}?tab`);
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await heading(other, 'Sign in').waitFor();
  await page.getByRole('button', { name: 'Shorten' }).click();
  await heading(page, 'Your session has ended').waitFor();
  await signIn(other, email);
  await other.locator('.create').waitFor();
  // The tabs share a session, so this tab only has to become visible again.
  await page.evaluate(LOOK);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Long URL').inputValue()).toBe(`${DESTINATION}?tab`);
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.locator('.note.good').waitFor();
  await other.reload();
  await other.getByRole('link', { name: slug }).waitFor();
}, 60_000);

test('the scan of a link shows its age, why the link was flagged, and later decisions', async () => {
  const { page, api } = await newUser();
  const url = await listedUrl(waypost, 'phishing');
  const { slug } = await newLink(api, { destination_url: url });
  await page.goto(`${waypost.api}/links/${slug}`);
  const scan = page.locator('section', { hasText: 'Scan' });
  await scan.getByText('Suspected of phishing').waitFor();
  await scan.getByText('this minute').waitFor();
  await scan.locator('.facts').getByText(new URL(url).host).first().waitFor();
  await check(page, 'scan-flagged');
  await page.getByRole('button', { name: 'Request a review…' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Why is this wrong?').fill('It is our shop. <script>alert(1)</script>');
  await check(page, 'review-asked');
  await page.getByLabel('Why is this wrong?').press('Enter');
  await page.locator('.note', { hasText: 'Review requested: case ' }).waitFor();
  await check(page, 'review-filed');
  const followed = await page.getByRole('link', { name: 'Follow the case' }).getAttribute('href');
  expect((await visit(waypost.api, followed ?? '')).text).toContain(slug);
  const reason = `"><img src=x onerror=alert(1)> \u202e${'long'.repeat(40)}`;
  await waypost.admin('take-down', { slug, 'threat-type': 'scam', reason });
  await waypost.admin('review', { slug, decision: 'clear', reason: 'For ourselves.' });
  await page.reload();
  await scan.getByText('No threat found', { exact: true }).waitFor();
  await scan.getByText('History: 3 entries').press('Enter');
  expect(await scan.locator('li').allTextContents()).toEqual([
    expect.stringContaining('Cleared by a review'),
    expect.stringContaining(`Taken down (a scam)take-down: ${reason}`),
    expect.stringContaining('Flagged (phishing)feed:'),
  ]);
  await check(page, 'scan-history');

  const warned = await newLink(api, { destination_url: 'https://bit.ly/3xYz' });
  await page.goto(`${waypost.api}/links/${warned.slug}`);
  await scan.getByText(/^Warning: this may be /).waitFor();
  await check(page, 'scan-noted');
}, 120_000);

test('no browser complained or sent requests to other hosts', expectContent);
