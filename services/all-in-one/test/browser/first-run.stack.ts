import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { PASSWORD } from '../people.ts';
import { DESTINATION, visit } from '../support.ts';
import { apiClient, onStack, startTestWaypost, type TestWaypost } from '../waypost-process.ts';
import { check as checkPage, openPage, signIn } from './browser.ts';
import { startBrowser } from './chromium.ts';

let waypost: TestWaypost;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let complaints: string[];
let foreign: string[];

beforeAll(async () => {
  waypost = await startTestWaypost();
  browser = await startBrowser();
  const { host } = new URL(waypost.api);
  // The printed address and sign-in links use `localhost`.
  const hosts = [host, host.replace('127.0.0.1', 'localhost')];
  ({ context, page, complaints, foreign } = await openPage(browser, hosts));
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await waypost?.remove();
}, 60_000);

const firstRunUrl = () => /^ {2}(http\S+\/first-run\/\S+)$/m.exec(waypost.output())![1]!;
const dashboardUrl = () => (onStack() ? waypost.api : new URL(firstRunUrl()).origin);

const check = (name: string) => checkPage(page, name);
const open = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();

test('a person makes the first account, a key and a link, sees a click, revokes, and signs out and in', async () => {
  const began = performance.now();
  if (onStack()) {
    // `npm run stack` has no first run: a command creates its first account.
    await waypost.admin('create-account', { email: 'ada@example.org', password: PASSWORD });
    await page.goto(dashboardUrl());
    await signIn(page, 'ada@example.org');
  } else {
    await page.goto(firstRunUrl());
    await page.getByRole('heading', { name: 'Create the first account' }).waitFor();
    await check('first-run');
    await page.getByLabel('E-mail').fill('ada@example.org');
    await page.getByLabel('Password').fill('short');
    await page.keyboard.press('Enter');
    await page.getByText('Password must have 12 to 1000 characters.').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
  }
  await page.getByText('No links yet.').waitFor();
  await check('links-empty');

  await open('API keys');
  await page.getByText('No keys yet.').waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  const making = page.getByRole('dialog');
  await check('key-make');
  await making.getByLabel('Name').fill('<script>alert(1)</script> \u202elaptop');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Copy your new key now' }).waitFor();
  await check('key-once');
  const key = (await page.locator('.secret code').textContent()) ?? '';
  expect(key).toMatch(/^wp_[\w-]{49}$/);
  // Chromium lets a page ignore only the first Escape, so the test presses it three times.
  for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
  expect(await page.locator('.secret code').isVisible()).toBe(true);
  await page.getByLabel('I have stored this key').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Never used').waitFor();
  await check('keys');
  expect(await page.content()).not.toContain(key);
  expect(
    await page.evaluate('JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])'),
  ).not.toContain('wp_');
  expect((await apiClient(waypost.api, key)('GET', '/api/v1/account')).status).toBe(200);

  await open('Links');
  await page.keyboard.press('n');
  await page.keyboard.type(DESTINATION.replace('https://', ''));
  await page.getByRole('button', { name: 'Add https://' }).click();
  await page.getByRole('button', { name: 'Custom address' }).click();
  await page.getByRole('textbox', { name: 'Custom address' }).fill('first-link');
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.locator('.note', { hasText: 'is ready and copied.' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/\/first-link$/);
  await page.getByRole('table').getByRole('link', { name: 'first-link' }).waitFor();
  await check('links');

  await page.getByRole('table').getByRole('link', { name: 'first-link' }).click();
  await page.getByText('Unique visitors').waitFor();
  expect((await visit(waypost.redirect, '/first-link')).status).toBe(302);
  await page.locator('.fig', { hasText: 'Clicks' }).getByText('1', { exact: true }).waitFor({ timeout: 20_000 });
  process.stdout.write(
    `first run to a click that is seen: ${((performance.now() - began) / 1000).toFixed(1)} s, with axe\n`,
  );
  await page.getByRole('button', { name: '30 days', exact: true }).click();
  await page.getByRole('button', { name: 'Show as table' }).click();
  await check('link-detail');

  await page.getByRole('button', { name: 'Revoke…' }).click();
  const revoke = page.getByRole('dialog');
  await revoke.getByText('This cannot be undone').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Keep the link');
  await check('revoke');
  await revoke.getByRole('button', { name: 'Revoke permanently' }).click();
  await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
  expect((await visit(waypost.redirect, '/first-link')).status).toBe(410);

  await open('Usage');
  await page.getByText('1 used').waitFor();
  await check('usage');
  await open('Settings');
  await page.getByText('Signed in as ada@example.org.').waitFor();
  await check('settings');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await check('sign-in');
  await page.getByLabel('E-mail').fill('ada@example.org');
  await page.getByLabel('Password').fill('wrong wrong wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
}, 240_000);

test('a session that ends during work keeps what was typed', async () => {
  const url = `${DESTINATION}?kept`;
  await page.goto(dashboardUrl());
  await page.getByLabel('Long URL').waitFor();
  await page.getByLabel('Long URL').fill(url);
  await context.clearCookies();
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await check('session-ended');
  await signIn(page, 'ada@example.org');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Long URL').inputValue()).toBe(url);
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText('is ready').first().waitFor();
}, 120_000);

test('the button of a sign-in link signs in', async () => {
  await context.clearCookies();
  const { sign_in_url } = await waypost.admin<{ sign_in_url: string }>('sign-in-link', { email: 'ada@example.org' });
  await page.goto(sign_in_url);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
}, 60_000);

test('the browser reported no error and sent no request to other hosts', async () => {
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
});
