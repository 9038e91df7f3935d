/** The dashboard in Chromium, which a user's machine may lack: from the first run to a click that is seen, and each screen through axe. */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { DESTINATION, visit } from './support.ts';
import { apiClient, startTestWaypost, type TestWaypost } from './waypost-process.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where screenshots go, for a look at them. */
const pictures = process.env.SCREENSHOTS;

let waypost: TestWaypost;
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** Whatever the browser complains about (the policy, a script) and asks of elsewhere. */
const complaints: string[] = [];
const foreign: string[] = [];

beforeAll(async () => {
  waypost = await startTestWaypost();
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  context = await browser.newContext({ locale: 'en-GB', permissions: ['clipboard-read', 'clipboard-write'] });
  page = await context.newPage();
  // A request that is refused says so on its own: the first look, before anybody signed in, is one.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && host !== new URL(waypost.api).host && host !== firstRunUrl().host)
      foreign.push(request.url());
  });
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await waypost?.remove();
}, 60_000);

const firstRunUrl = () => new URL(/^ {2}(http\S+\/first-run\/\S+)$/m.exec(waypost.output())![1]!);

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Light and dark, wide and as a phone: no violation, no sideways scroll. */
async function check(name: string): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 360],
    ['dark', 1280],
    ['light', 360],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 800 });
    if (pictures !== undefined)
      await page.screenshot({ path: path.join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    await page.evaluate(axe);
    const violations = await page.evaluate(async () => {
      const { axe: loaded } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
      return (await loaded.run()).violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)] as const);
    });
    expect([name, colorScheme, width, violations]).toEqual([name, colorScheme, width, []]);
    const wide = await page.evaluate('document.documentElement.scrollWidth');
    expect([name, wide]).toEqual([name, width]);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

const open = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click();

test('first run, key, link, visit, click seen; revoke; sign out and in', async () => {
  const began = performance.now();
  await page.goto(firstRunUrl().href);
  await page.getByRole('heading', { name: 'Make the first account' }).waitFor();
  await check('first-run');
  await page.getByLabel('E-mail').fill('ada@example.org');
  await page.getByLabel('Password').fill('short');
  await page.keyboard.press('Enter');
  await page.getByText('Password must be 12 to 1000 characters.').waitFor();
  await page.getByLabel('Password').fill('correct horse battery staple');
  await page.keyboard.press('Enter');
  await page.getByText('No links yet.').waitFor();
  await check('links-empty');

  await open('API keys');
  await page.getByText('No keys yet.').waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  const making = page.getByRole('dialog');
  await making.getByLabel('admin: everything').check();
  expect(await making.getByLabel('read: list').isChecked()).toBe(false);
  expect(await making.getByLabel('read: list').isDisabled()).toBe(true);
  await making.getByLabel('admin: everything').uncheck();
  await making.getByLabel('read: list').check();
  await making.getByLabel('write: create').check();
  await check('key-make');
  await making.getByLabel('Name').fill('<script>alert(1)</script> \u202elaptop');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Copy your new key now' }).waitFor();
  await check('key-once');
  const key = (await page.locator('.secret code').textContent()) ?? '';
  expect(key).toMatch(/^wp_[\w-]{49}$/);
  await page.keyboard.press('Escape');
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
  await page.getByRole('button', { name: '30 days' }).click();
  await page.getByRole('button', { name: 'Show as table' }).click();
  await check('link-detail');

  await page.getByRole('button', { name: 'Revoke…' }).click();
  const revoke = page.getByRole('dialog');
  await revoke.getByText('This cannot be undone').waitFor();
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Keep the link');
  await check('revoke');
  await revoke.getByRole('button', { name: 'Revoke for good' }).click();
  await page.getByText('Revoked', { exact: true }).waitFor();
  expect((await visit(waypost.redirect, '/first-link')).status).toBe(410);

  await open('Usage');
  await page.getByText('1 used').waitFor();
  await check('usage');
  await open('Settings');
  await page.getByText('You are ada@example.org.').waitFor();
  await check('settings');
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await check('sign-in');
  await page.getByLabel('E-mail').fill('ada@example.org');
  await page.getByLabel('Password').fill('wrong wrong wrong');
  await page.keyboard.press('Enter');
  await page.getByText('The e-mail address or the password is wrong.').waitFor();
  await page.getByLabel('Password').fill('correct horse battery staple');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Links' }).waitFor();
}, 240_000);

test('a session that ends in the middle of work keeps what was typed', async () => {
  const url = `${DESTINATION}?kept`;
  await page.goto(firstRunUrl().origin);
  await page.getByLabel('Long URL').waitFor();
  await page.getByLabel('Long URL').fill(url);
  await context.clearCookies();
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
  await check('session-ended');
  await page.getByLabel('E-mail').fill('ada@example.org');
  await page.getByLabel('Password').fill('correct horse battery staple');
  await page.keyboard.press('Enter');
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
  await page.getByRole('heading', { name: 'Links' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
}, 60_000);

test('the browser found nothing to complain about, and asked nobody else', async () => {
  expect(complaints).toEqual([]);
  expect(foreign).toEqual([]);
});
