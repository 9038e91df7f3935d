import { expect, test } from '@jest/globals';
import { PASSWORD } from '../people.ts';
import { apiClient } from '../waypost-process.ts';
import { button, check, dashboard, heading, inDialog, secretShown, signIn } from './browser.ts';

const { waypost, newPage, newUser, newAdministrator, open, expectContent } = dashboard({});

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0';
const KEY = { name: "the thief's", scopes: ['read'] };

/** Signs in in a browser of another kind, and adds a key there. Resolves to a client with the key. */
async function thiefOf(email: string) {
  const { page } = await newPage({ userAgent: FIREFOX });
  await page.goto(waypost.api);
  await signIn(page, email);
  await page.locator('.create').waitFor();
  const key = await page.evaluate(async (body) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch('/api/v1/account/keys', { method: 'POST', headers, body });
    return ((await answer.json()) as { readonly key: string }).key;
  }, JSON.stringify(KEY));
  return { page, api: apiClient(waypost.api, key) };
}

test('a new sign-in is told, and "This was not me" throws the thief out; the owner stays signed in', async () => {
  const { page, email } = await newUser();
  const thief = await thiefOf(email);
  await open(page, '/links', 'Links');
  const notice = page.getByRole('status').filter({ hasText: 'New sign-in: Firefox on Windows' });
  await notice.waitFor();
  await check(page, 'new-sign-in');
  await notice.getByRole('link', { name: 'This was not me' }).click();
  await heading(page, 'This was not me').waitFor();
  await page.getByRole('checkbox', { name: "API key the thief's" }).check();
  await check(page, 'not-me');
  await button(page, 'End all sessions, remove 1').click();
  await check(page, 'not-me-confirm');
  await inDialog(page, 'End and remove').click();
  await page.getByText('Done. Only this browser is signed in.').waitFor();
  await notice.waitFor({ state: 'detached' });
  await check(page, 'not-me-done');
  expect((await thief.api('GET', '/api/v1/account')).status).toBe(401);
  await thief.page.reload();
  await heading(thief.page, 'Sign in').waitFor();
  await open(page, '/keys', 'API keys');
  await page.getByText('test', { exact: true }).waitFor();
}, 120_000);

test('the settings list the sessions, and end one; "It was me" ends the notice', async () => {
  const { page, email } = await newUser();
  const other = await thiefOf(email);
  await open(page, '/settings', 'Settings');
  await button(page, 'It was me').click();
  await page.getByText('New sign-in:').waitFor({ state: 'detached' });
  await page.getByText('This browser').waitFor();
  await check(page, 'sessions');
  await page.getByRole('button', { name: 'End the session of Firefox on Windows' }).click();
  await inDialog(page, 'End session').click();
  await page.getByText('Firefox on Windows', { exact: true }).waitFor({ state: 'detached' });
  await other.page.reload();
  await heading(other.page, 'Sign in').waitFor();
}, 120_000);

test('an administrator throws everybody out of an account, its password too', async () => {
  const { page } = await newAdministrator();
  const user = await newUser();
  const thief = await thiefOf(user.email);
  await open(page, '/admin', 'Accounts');
  await page.getByRole('link', { name: `Security of ${user.email}` }).click();
  await heading(page, `Access to ${user.email}`).waitFor();
  for (const name of ['Password', "API key the thief's"]) await page.getByRole('checkbox', { name }).check();
  await check(page, 'account-security');
  await button(page, 'End all sessions, remove 2').click();
  await inDialog(page, 'End and remove').click();
  await page.getByText('Nobody is signed in.').waitFor();
  expect((await thief.api('GET', '/api/v1/account')).status).toBe(401);
  await user.page.reload();
  await signIn(user.page, user.email);
  await user.page.getByText('The e-mail address or the password is wrong.').waitFor();
}, 120_000);

test('a session that has to prove its owner asks for the password, and goes on with what was typed', async () => {
  const { page } = await newUser();
  await open(page, '/keys', 'API keys');
  // The server asks for a proof after 15 minutes; the tests of link-api have its clock.
  const details = { proof: 'is required' };
  const refusal = { error: 'forbidden', status: 403, message: 'Confirm your identity first.', details };
  await page.route('**/api/v1/account/keys', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 403, json: refusal }) : route.continue(),
  );
  await button(page, 'Create key').click();
  await page.getByRole('dialog').getByLabel('Name').fill('mine');
  await page.keyboard.press('Enter');
  await heading(page, 'Confirm your identity').waitFor();
  await check(page, 'proof');
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.unroute('**/api/v1/account/keys');
  await page.keyboard.press('Enter');
  await page.locator('.secret').waitFor();
  await secretShown(page);
  await page.getByText('mine', { exact: true }).waitFor();
}, 120_000);

test('no browser complained or sent requests to other hosts', () => expectContent());
