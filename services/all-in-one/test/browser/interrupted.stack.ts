import { expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { PASSWORD } from '../people.ts';
import { comesTo, DESTINATION, freshSlug, newLink, newSlugs } from '../support.ts';
import { button, check, dashboard, heading, revokeRow, signIn } from './browser.ts';

const { waypost, newUser, open, expectContent } = dashboard();

const OFFLINE = 'This device is offline. Nothing was sent, and nothing will be sent later.';
const dialogOf = (page: Page) => page.getByRole('dialog');
/** Opens a screen by its link in the navigation, without a reload of the page. */
const go = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
const focused = (page: Page) =>
  page.evaluate<string>(
    'document.activeElement.ariaLabel ?? (document.activeElement.textContent || document.activeElement.name)',
  );

/** Resolves to the names of the controls that Tab reaches. Each must show a focus ring, and nothing may cover it. */
async function stopsOf(page: Page, first: string, last: string): Promise<string[]> {
  await page.locator(first).focus();
  const stops: string[] = [];
  for (let i = 0; i < 40 && stops.at(-1) !== last; i++) {
    if (i > 0) await page.keyboard.press('Tab');
    const name = await focused(page);
    stops.push(name);
    const seen = await page.evaluate(`(() => {
      const own = document.activeElement;
      const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(own);
      const { left, top, right, bottom } = own.getBoundingClientRect();
      const cut = [];
      for (let box = own.parentElement; box !== document.body; box = box.parentElement) {
        const { overflow, overflowClipMargin } = getComputedStyle(box);
        if (overflow === 'visible') continue;
        const margin = overflow === 'clip' ? parseFloat(overflowClipMargin) : 0;
        const ring = parseFloat(outlineWidth) + parseFloat(outlineOffset) - margin;
        const edge = box.getBoundingClientRect();
        const isCut = left - ring < edge.left || top - ring < edge.top;
        if (isCut || right + ring > edge.right || bottom + ring > edge.bottom)
          cut.push(box.tagName + '.' + box.className);
      }
      const isOnTop = own.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
      return [outlineStyle, outlineWidth, isOnTop, ...cut];
    })()`);
    expect([name, seen]).toEqual([name, ['solid', '2px', true]]);
  }
  expect(stops.at(-1)).toBe(last);
  return stops;
}

/** Sends the request to the server but gives the page no answer. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

test('nothing is sent offline, or afterwards', async () => {
  const { page, context, api } = await newUser();
  const { slug } = await newLink(api);
  await open(page, '/links', 'Links');
  await button(page, `Actions for ${slug}`).waitFor();
  const away = page.getByRole('status').getByText('This device is offline. What you see may be out of date.');
  expect(await away.count()).toBe(0);
  await context.setOffline(true);
  await away.waitFor();

  await revokeRow(page, slug);
  await button(page, 'Revoke permanently').click();
  await dialogOf(page).getByText(OFFLINE).waitFor({ timeout: 2_000 });
  await check(page, 'offline');
  await button(page, 'Keep the link').click();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
  });
  await context.setOffline(false);
  await away.waitFor({ state: 'detached' });
  // A library with a queue would send as soon as the network is back.
  await page.waitForTimeout(1_500);
  expect(sent).toEqual([]);
  expect((await api('GET', `/api/v1/links/${slug}`)).body.status).toBe('active');
}, 60_000);

test('a deleted account is signed out, even if the answer is lost', async () => {
  const { page, email } = await newUser();
  await open(page, '/settings', 'Settings');
  await page.route('**/api/v1/account', (route) =>
    route.request().method() === 'DELETE' ? loseAnswer(route) : route.continue(),
  );
  await button(page, 'Delete your account').click();
  await dialogOf(page).getByLabel('Your e-mail address').fill(email);
  await dialogOf(page).getByLabel('Current password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await heading(page, 'Sign in').waitFor();
}, 60_000);

test('the focus stays near an element that disappears, and every control shows the focus', async () => {
  const { page, api, email } = await newUser();
  const [slug = ''] = await newSlugs(api, 2);
  for (const name of ['a', 'b']) await waypost.admin('create-key', { email, name, scopes: 'read' });
  await open(page, '/links', 'Links');
  await revokeRow(page, slug);
  await button(page, 'Revoke permanently').press('Enter');
  await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
  await comesTo(() => focused(page), expect.stringContaining(slug), 5_000);
  await page.getByRole('link', { name: slug }).last().click();
  await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
  await go(page, 'Links');
  await page.locator('tr.is-active').waitFor();
  await page.locator('tr.is-active .link a').press('Enter');
  await button(page, 'Revoke…').press('Enter');
  await button(page, 'Revoke permanently').press('Enter');
  await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
  await comesTo(() => page.evaluate('document.activeElement.tagName'), 'H1', 5_000);

  await open(page, '/', 'Overview');
  await page.getByRole('link', { name: 'Revoked' }).waitFor();
  await stopsOf(page, '.clicks-card input', 'Revoked');
  await open(page, '/keys', 'API keys');
  const stops = await stopsOf(page, '.skip', 'Delete the key test');
  expect(stops.slice(0, 3)).toEqual(['Skip to content', 'Waypost, home', 'Overview']);
  expect(stops.slice(-4)).toEqual(['Create key', ...['b', 'a', 'test'].map((name) => `Delete the key ${name}`)]);
  await page.setViewportSize({ width: 360, height: 800 });
  await stopsOf(page, '.skip', 'Delete the key test');
  await page.setViewportSize({ width: 1280, height: 800 });
  await button(page, 'Create key').press('Enter');
  await stopsOf(page, '[name=name]', 'Create key');
  await dialogOf(page).getByLabel('Name').fill('c');
  await page.keyboard.press('Enter');
  await page.getByLabel('I have stored this key').press('Space');
  await stopsOf(page, 'dialog .secret button', 'Done');
  await button(page, 'Done').press('Enter');

  const remove = async (name: string) => {
    await button(page, `Delete the key ${name}`).press('Enter');
    await button(page, 'Delete key').press('Enter');
    await page.getByRole('row', { name: `Delete the key ${name}` }).waitFor({ state: 'detached' });
  };
  await remove('b');
  await comesTo(() => focused(page), 'Delete the key a', 5_000);
  await remove('a');
  await remove('test');
  await remove('c');
  await comesTo(() => focused(page), 'API keys', 5_000);
}, 60_000);

test('text that was typed for a link survives another screen, but not its creation or a sign-out', async () => {
  const { page, email } = await newUser();
  const url = page.getByLabel('Long URL');
  const type = async (text: string) => {
    await url.fill(text);
    await button(page, 'Custom address').click();
    await page.getByRole('textbox', { name: 'Custom address' }).fill(freshSlug('draft'));
    await page.locator('.under').getByRole('button', { name: 'Tags' }).click();
    await page.getByRole('combobox', { name: 'Tags' }).fill('kept,');
    await go(page, 'API keys');
    await heading(page, 'API keys').waitFor();
    await go(page, 'Links');
    await heading(page, 'Links').waitFor();
  };
  await type(`${DESTINATION}?draft`);
  expect(await url.inputValue()).toBe(`${DESTINATION}?draft`);
  expect(await page.getByRole('textbox', { name: 'Custom address' }).inputValue()).toMatch(/^draft-/);
  await button(page, 'Remove tag kept').waitFor();
  await button(page, 'Shorten').click();
  await page.locator('.note.good').waitFor();
  await go(page, 'API keys');
  await go(page, 'Links');
  expect(await url.inputValue()).toBe('');
  expect(await page.getByRole('textbox', { name: 'Custom address' }).count()).toBe(0);

  await type(`${DESTINATION}?gone`);
  await go(page, 'Settings');
  await button(page, 'Sign out').click();
  await heading(page, 'Sign in').waitFor();
  await signIn(page, email);
  await url.waitFor();
  expect(await url.inputValue()).toBe('');
}, 60_000);

test('no browser complained or sent requests to other hosts', expectContent);
