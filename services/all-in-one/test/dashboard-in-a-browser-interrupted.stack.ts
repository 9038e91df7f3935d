/** The dashboard in Chromium where something comes between: no network, a slow one, a lost answer, a second press, another screen. */
import { expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { check, dashboard, heading, signIn } from './browser.ts';
import { PASSWORD } from './people.ts';
import { comesTo, DESTINATION, freshSlug, newLink, newSlugs } from './support.ts';

const { waypost, newUser, open, expectContent } = dashboard();

const OFFLINE = 'This device is offline. Nothing was sent, and nothing will be sent later.';
const ON_ITS_WAY = 'On its way. It cannot be taken back now.';
const dialogOf = (page: Page) => page.getByRole('dialog');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** A screen of the navigation, without loading the page anew. */
const go = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
const focused = (page: Page) =>
  page.evaluate<string>(
    'document.activeElement.ariaLabel ?? (document.activeElement.textContent || document.activeElement.name)',
  );

/** What the keyboard comes to from one control to another: each has a ring, and nothing covers it. */
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
        if (left - ring < edge.left || top - ring < edge.top || right + ring > edge.right || bottom + ring > edge.bottom)
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

/** It arrives, but its answer does not. */
async function loseAnswer(route: Route): Promise<void> {
  await route.fetch();
  await route.abort();
}

test('offline nothing is sent, now or later, and every dialog says so', async () => {
  const { page, context, api, email } = await newUser();
  const { slug } = await newLink(api);
  await open(page, '/settings', 'Settings');
  await go(page, 'API keys');
  await page.getByText('1 of 20 in use').waitFor();
  await go(page, 'Links');
  await button(page, `Revoke ${slug}`).waitFor();
  const away = page.getByRole('status').getByText('This device is offline. What you see may be out of date.');
  expect(await away.count()).toBe(0);
  await context.setOffline(true);
  await away.waitFor();

  const giveUp = async (name: string) => {
    await dialogOf(page).getByText(OFFLINE).waitFor({ timeout: 2_000 });
    await button(page, name).click();
    await dialogOf(page).waitFor({ state: 'detached' });
  };
  await button(page, `Revoke ${slug}`).click();
  await button(page, 'Revoke for good').click();
  await dialogOf(page).getByText(OFFLINE).waitFor({ timeout: 2_000 });
  await check(page, 'offline');
  await giveUp('Keep the link');
  await go(page, 'API keys');
  await button(page, 'Create key').click();
  await dialogOf(page).getByLabel('Name').fill('later');
  await page.keyboard.press('Enter');
  await giveUp('Cancel');
  await page.getByRole('button', { name: 'Delete the key' }).click();
  await button(page, 'Delete key').click();
  await giveUp('Keep the key');
  await go(page, 'Settings');
  await button(page, 'Delete your account').click();
  await dialogOf(page).getByLabel('Your e-mail address').fill(email);
  await dialogOf(page).getByLabel('Current password').fill('whatever it is');
  await button(page, 'Delete for good').click();
  await giveUp('Cancel');

  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${request.url()}`);
  });
  await context.setOffline(false);
  await away.waitFor({ state: 'detached' });
  // A library that queues sends at once when the network is back.
  await page.waitForTimeout(1_500);
  expect(sent).toEqual([]);
  expect((await api('GET', `/api/v1/links/${slug}`)).body.status).toBe('active');
  await go(page, 'API keys');
  await page.getByText('1 of 20 in use').waitFor();
}, 60_000);

test('what is on its way cannot be cancelled; without an answer it is looked up, and what is true is shown', async () => {
  const { page, api } = await newUser();
  const { slug } = await newLink(api);
  await page.clock.install();
  await open(page, '/', 'Links');
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route(`**/links/${slug}/revoke`, async (route) => {
    await held;
    // The page has given it up.
    await route.abort().catch(() => undefined);
  });
  await button(page, `Revoke ${slug}`).click();
  await button(page, 'Revoke for good').click();
  await dialogOf(page).getByRole('status').getByText(ON_ITS_WAY).waitFor();
  expect(await button(page, 'Keep the link').count()).toBe(0);
  for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
  expect(await dialogOf(page).getByText(ON_ITS_WAY).isVisible()).toBe(true);
  await page.clock.fastForward(11_000);
  await dialogOf(page).getByRole('alert').getByText('We looked again: it is not done.').waitFor();
  await button(page, 'Keep the link').waitFor();
  release();
  await page.unroute(`**/links/${slug}/revoke`);

  // Neither the answer nor the look arrives: nobody knows, until one looks again.
  await page.route(`**/links/${slug}/revoke`, loseAnswer);
  await page.route(`**/links/${slug}`, (route) => route.abort());
  await button(page, 'Revoke for good').click();
  await dialogOf(page).getByText('It may be done or not. Look before you try again.').waitFor();
  expect(await button(page, 'Keep the link').count()).toBe(0);
  expect(await button(page, 'Revoke for good').count()).toBe(0);
  await page.unroute(`**/links/${slug}`);
  await button(page, 'Look again').click();
  await dialogOf(page).waitFor({ state: 'detached' });
  await page.locator('tr', { hasText: slug }).locator('.badge', { hasText: 'Revoked' }).waitFor();
  expect((await api('GET', `/api/v1/links/${slug}`)).body.status).toBe('revoked');
}, 60_000);

test('a key whose answer is lost is told; an account that is gone is signed out', async () => {
  const { page, email } = await newUser();
  await open(page, '/keys', 'API keys');
  await page.route('**/api/v1/account/keys', (route) =>
    route.request().method() === 'POST' ? loseAnswer(route) : route.continue(),
  );
  await button(page, 'Create key').click();
  await dialogOf(page).getByLabel('Name').fill('lost');
  await page.keyboard.press('Enter');
  await dialogOf(page).getByText('It was created all the same.').waitFor();
  expect(await dialogOf(page).getByRole('button').allTextContents()).toEqual(['Close']);
  await button(page, 'Close').click();
  await page.getByRole('row', { name: 'lost' }).waitFor();
  await page.route('**/api/v1/account/keys/*', loseAnswer);
  await button(page, 'Delete the key lost').click();
  await button(page, 'Delete key').click();
  await page.getByText('1 of 20 in use').waitFor();

  await page.route('**/api/v1/account', (route) =>
    route.request().method() === 'DELETE' ? loseAnswer(route) : route.continue(),
  );
  await go(page, 'Settings');
  await button(page, 'Delete your account').click();
  await dialogOf(page).getByLabel('Your e-mail address').fill(email);
  await dialogOf(page).getByLabel('Current password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await heading(page, 'Sign in').waitFor();
}, 60_000);

test('a lost answer outside of a dialog, and of one of many, is not taken for a refusal', async () => {
  const { page, api } = await newUser();
  await page.route('**/api/v1/account/password', loseAnswer);
  await open(page, '/settings', 'Settings');
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByLabel('New password').fill(`${PASSWORD} and more`);
  await button(page, 'Change password').click();
  await page.getByRole('alert').getByText('It may be done or not. Look before you try again.').waitFor();

  const [first = ''] = await newSlugs(api, 2);
  await open(page, '/', 'Links');
  await page.getByLabel('Select all on this page').check();
  await page.locator('.selbar').getByRole('button', { name: 'Revoke…' }).click();
  await page.route(`**/links/${first}/revoke`, loseAnswer);
  await dialogOf(page).getByLabel('Type 2 to confirm').fill('2');
  await button(page, 'Revoke 2 for good').click();
  await dialogOf(page).getByRole('alert').waitFor();
  await page.unroute(`**/links/${first}/revoke`);
  await dialogOf(page)
    .getByRole('button', { name: /^Revoke \d for good$/ })
    .click();
  await dialogOf(page).getByText('2 of 2 revoked').first().waitFor();
  expect(await dialogOf(page).getByText('cannot be revoked').count()).toBe(0);
}, 60_000);

test('a second press sends nothing, and a slow answer is seen to be on its way', async () => {
  const { page, api } = await newUser();
  await page.route('**/api/v1/links', async (route) => {
    if (route.request().method() === 'POST') await new Promise((done) => setTimeout(done, 1_000));
    await route.continue();
  });
  await page.getByLabel('Long URL').fill(`${DESTINATION}?twice`);
  await button(page, 'Shorten').dblclick();
  await button(page, 'Shortening…').waitFor({ timeout: 500 });
  await page.locator('.note').first().waitFor();
  expect(await page.locator('.note').allTextContents()).toEqual([expect.stringContaining('is ready')]);
  expect((await api('GET', '/api/v1/links')).body.total).toBe(1);

  await go(page, 'API keys');
  await button(page, 'Create key').click();
  await dialogOf(page).getByLabel('Name').fill('once');
  await dialogOf(page).getByRole('button', { name: 'Create key' }).dblclick();
  await heading(page, 'Copy your new key now').waitFor();
  await page.getByLabel('I have stored this key').check();
  await button(page, 'Done').click();
  await page.getByText('2 of 20 in use').waitFor();

  await go(page, 'Webhooks');
  await button(page, 'Create webhook').click();
  await dialogOf(page).getByLabel('Address').fill('https://hooks.example.com/');
  await dialogOf(page).getByRole('button', { name: 'Create webhook' }).dblclick();
  await heading(page, 'Copy the secret now').waitFor();
  await page.getByLabel('I have stored this secret').check();
  await button(page, 'Done').click();
  await page.getByText('1 of 10 in use').waitFor();
}, 60_000);

test('a custom address that is taken is told at its field before anything is sent', async () => {
  const { page, api } = await newUser();
  const [taken, slow] = [freshSlug(), freshSlug()];
  await newLink(api, { custom_slug: taken });
  await newLink(api, { custom_slug: slow });
  await button(page, 'Custom address').click();
  const field = page.getByRole('textbox', { name: 'Custom address' });
  await field.fill(taken);
  await page.getByLabel('Long URL').focus();
  const told = page.locator('.field .err').getByText(`The address ${taken} is taken.`);
  await told.waitFor({ timeout: 5_000 });
  await page.getByRole('status').getByText(`The address ${taken} is taken.`).waitFor({ state: 'attached' });
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await focused(page)).not.toBe('Custom address');
  expect(await page.evaluate("document.activeElement.getAttribute('inputmode')")).toBe('url');

  // An answer that comes late says nothing of what is typed now.
  await page.route('**/api/v1/links?dry_run=true', async (route) => {
    if (route.request().postData()?.includes(slow)) await new Promise((done) => setTimeout(done, 700));
    await route.continue().catch(() => undefined);
  });
  const asked = page.waitForRequest((request) => request.postData()?.includes(slow) ?? false);
  await field.fill(slow);
  await asked;
  await field.fill(freshSlug());
  await told.waitFor({ state: 'detached' });
  await page.waitForTimeout(1_500);
  expect(await field.getAttribute('aria-invalid')).toBe('false');
  expect((await api('GET', '/api/v1/account')).body.quota.used).toBe(2);
}, 60_000);

test('the focus stays near what is gone, and every control of the keys shows it', async () => {
  const { page, api, email } = await newUser();
  const [slug = ''] = await newSlugs(api, 2);
  for (const name of ['a', 'b']) await waypost.admin('create-key', { email, name, scopes: 'read' });
  await open(page, '/', 'Links');
  await button(page, `Revoke ${slug}`).press('Enter');
  await button(page, 'Revoke for good').press('Enter');
  await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
  await comesTo(() => focused(page), expect.stringContaining(slug), 5_000);
  await page.getByRole('link', { name: slug }).last().click();
  await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
  await go(page, 'Links');
  await page.getByRole('row').getByRole('button', { name: 'Revoke' }).waitFor();
  await page.locator('tr.is-active .link a').press('Enter');
  await button(page, 'Revoke…').press('Enter');
  await button(page, 'Revoke for good').press('Enter');
  await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
  await comesTo(() => page.evaluate('document.activeElement.tagName'), 'H1', 5_000);

  await open(page, '/keys', 'API keys');
  const stops = await stopsOf(page, '.skip', 'Delete the key test');
  expect(stops.slice(0, 3)).toEqual(['Skip to content', 'Waypost, home', 'Links']);
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

test('what was typed for a link is there after another screen, not after it was made or after a sign-out', async () => {
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

test('no browser found anything to complain about, or asked anybody else', expectContent);
