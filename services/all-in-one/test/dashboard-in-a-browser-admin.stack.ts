/** The dashboard in Chromium: webhooks, and what administrators do. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { check, dashboard, heading } from './browser.ts';
import { freshEmail } from './people.ts';
import { DESTINATION, freshSlug, importFeed, newLink, visit } from './support.ts';
import { apiClient } from './waypost-process.ts';
import { startReceiver } from './webhook-receiver.ts';

const { waypost, newUser, newAdministrator, open, expectContent } = dashboard({ WEBHOOK_HOSTS_ALLOWED: '127.0.0.0/8' });
const receiver = await startReceiver();

const HOSTILE = '"><img src=x onerror=alert(1)> {{7*7}}';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

/** The secret of the dialog, which does not close before it is stored. */
async function secretShown(page: Page): Promise<string> {
  await page.keyboard.press('Escape');
  const secret = (await page.locator('.secret code').textContent()) ?? '';
  await check(page, 'secret');
  await inDialog(page, 'Copy').click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
  await page.getByRole('dialog').getByRole('checkbox').check();
  await inDialog(page, 'Done').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(secret);
  return secret;
}

test('a webhook: its secret once, a test, its deliveries, a replay, off and on, deleted', async () => {
  const { page } = await newUser();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByText('No webhooks yet.').waitFor();
  await check(page, 'webhooks-empty');

  await button(page, 'Create webhook').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill('https://10.0.0.1/');
  await inDialog(page, 'Create webhook').click();
  await dialog.getByText(/^Address must/).waitFor();
  await check(page, 'webhook-refused');
  await dialog.getByLabel('Address').fill(`${receiver.url}?${'long'.repeat(300)}&q=<script>alert(1)</script>`);
  await page.keyboard.press('Enter');
  await heading(page, 'Copy the secret now').waitFor();
  const secret = await secretShown(page);
  expect(secret).toMatch(/^whsec_/);
  await page.getByText('1 of 10 in use').waitFor();
  await check(page, 'webhooks');

  await page.locator('tbody a').click();
  await heading(page, new URL(receiver.url).host).waitFor();
  await page.getByText('Nothing was sent yet.').waitFor();
  const row = (state: string) => page.locator('tbody tr', { hasText: state });
  await button(page, 'Send a test').click();
  await row('Delivered').getByText('Answered 200').waitFor();
  const { body, headers } = receiver.received.at(-1)!;
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test' });

  receiver.answer((_received, response) => {
    response.statusCode = 500;
    response.end(`<script>alert(1)</script>\u202e${'x'.repeat(900)}`);
  });
  await button(page, 'Send a test').click();
  await row('Given up').getByText('Answered 500').waitFor();
  await row('Given up').getByText('Answer', { exact: true }).click();
  await row('Given up').getByText('<script>alert(1)</script>').waitFor();
  await page.getByText(/^No attempt succeeded since/).waitFor();
  await check(page, 'webhook');
  receiver.answer((_received, response) => response.end());
  await row('Given up')
    .getByRole('button', { name: /^Send again: webhook\.test, / })
    .click();
  await row('Delivered').nth(1).waitFor();
  await button(page, 'Given up').click();
  await page.getByText('Nothing matches.').waitFor();

  await button(page, 'New secret…').click();
  await inDialog(page, 'Make a new secret').click();
  await heading(page, 'Copy the secret now').waitFor();
  expect(await secretShown(page)).not.toBe(secret);

  await button(page, 'Change…').click();
  for (const event of ['created', 'revoked', 'flagged', 'cleared', 'clicked'])
    await dialog.getByLabel(`link.${event}:`).uncheck();
  await inDialog(page, 'Save').click();
  await dialog.getByText('Events must hold 1 to 5 different events.').waitFor();
  await dialog.getByLabel('link.flagged:').check();
  await inDialog(page, 'Save').click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.meta .tag').nth(1).waitFor({ state: 'detached' });
  expect(await page.locator('.meta .tag').allTextContents()).toEqual(['link.flagged']);

  await button(page, 'Switch off').click();
  await page.getByText('You switched it off.').waitFor();
  expect(await button(page, 'Send a test').getAttribute('aria-disabled')).toBe('true');
  await check(page, 'webhook-off');
  await button(page, 'Switch on').click();
  await page.locator('.badge', { hasText: 'On' }).waitFor();

  await button(page, 'Delete…').click();
  await check(page, 'webhook-delete');
  await inDialog(page, 'Delete webhook').click();
  await page.getByText('No webhooks yet.').waitFor();
  await page.goBack();
  await heading(page, 'There is no such webhook of yours.').waitFor();
}, 180_000);

test('an administrator makes an account, limits it, suspends it and lifts the suspension', async () => {
  const [admin, user] = [await newAdministrator(), await newUser()];
  const { page } = admin;
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Admin' }).click();
  await heading(page, 'Accounts').waitFor();
  await check(page, 'admin-accounts');
  expect(await button(page, `Suspend ${admin.email}`).count()).toBe(0);
  await page.getByLabel('Search e-mail addresses').fill(user.email);
  await page.waitForURL(/search=/);
  await page.getByText('1–1 of 1').waitFor();

  await button(page, `Limit of ${user.email}`).click();
  await page.getByLabel('Links per hour').fill('7');
  await page.keyboard.press('Enter');
  await page.getByText('7 per hour').waitFor();

  await button(page, `Suspend ${user.email}`).click();
  await page.getByRole('dialog').getByLabel('Reason').fill(HOSTILE);
  await check(page, 'admin-suspend');
  await inDialog(page, 'Suspend account').click();
  await page.locator('.badge', { hasText: 'Suspended' }).waitFor();
  await page.locator('tbody').getByText(HOSTILE).waitFor();
  expect(await user.api('GET', '/api/v1/account')).toMatchObject({ status: 403 });
  await check(page, 'admin-suspended');
  await user.page.reload();
  await heading(user.page, 'The account is suspended.').waitFor();
  await user.page.getByText('This account is suspended: ').waitFor();
  await check(user.page, 'suspended');
  await button(user.page, 'Sign out').click();
  await heading(user.page, 'Sign in').waitFor();
  await button(page, 'Suspended').click();
  await button(page, `Lift the suspension of ${user.email}`).click();
  await inDialog(page, 'Lift suspension').click();
  await page.getByText('Nothing matches.').waitFor();
  expect(await user.api('GET', '/api/v1/account')).toMatchObject({ status: 200, body: { quota: { limit: 7 } } });

  await button(page, 'Create account').click();
  await page.getByRole('dialog').getByLabel('E-mail').fill(user.email);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  const email = freshEmail();
  await page.getByRole('dialog').getByLabel('E-mail').fill(email);
  await page.keyboard.press('Enter');
  await heading(page, 'Copy the sign-in link now').waitFor();
  const signInUrl = await secretShown(page);
  const signInPage = await fetch(`${waypost.api}${new URL(signInUrl).pathname}`);
  expect(await signInPage.text()).toContain(email);
}, 180_000);

test('an administrator decides a report, takes a link down, clears it, and finds it in the audit log', async () => {
  const [{ page }, { api, email }] = [await newAdministrator(), await newUser()];
  const [reported, other] = [freshSlug('rep'), freshSlug('any')];
  for (const custom_slug of [reported, other])
    await newLink(api, { destination_url: `${DESTINATION}?q=<script>alert(1)</script>`, custom_slug });
  const filed = await fetch(`${waypost.api}/report`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({
      about: 'report',
      category: 'scam',
      link: reported,
      message: `${HOSTILE}\r\n\u202etxt`,
    }),
  });
  expect(filed.status).toBe(303);

  await open(page, '/admin/reports', 'Reports');
  const found = page.locator('li.card', { hasText: reported });
  await found.getByText(HOSTILE).first().waitFor();
  await found.getByText(email).waitFor();
  await check(page, 'admin-reports');
  await found.getByRole('button', { name: /^Decide / }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Decision').selectOption('Upheld: take the link down');
  expect(await dialog.getByLabel('Suspected of').inputValue()).toBe('scam');
  await dialog.getByLabel('Reason').fill('It asks for a deposit.');
  await check(page, 'admin-decide');
  await inDialog(page, 'Decide for good').click();
  await page.getByText('Nothing waits for you.').waitFor();
  expect((await visit(waypost.redirect, `/${reported}`)).status).toBe(403);
  await button(page, 'Upheld').click();
  await found.getByText('It asks for a deposit.').first().waitFor();
  await check(page, 'admin-reports-upheld');

  await page.getByRole('link', { name: 'Any link' }).click();
  await page.getByLabel('Address or short URL').fill('<script>');
  await page.keyboard.press('Enter');
  await heading(page, 'There is no link at this address.').waitFor();
  await page.getByRole('link', { name: 'Look for another' }).click();
  await check(page, 'admin-find');
  await page.getByLabel('Address or short URL').fill(` https://go.example.org/${other}+ `);
  await page.keyboard.press('Enter');
  await button(page, 'Take down…').click();
  await dialog.getByLabel('Suspected of').selectOption('phishing');
  await dialog.getByLabel('Reason').fill(HOSTILE);
  await check(page, 'admin-take-down');
  await inDialog(page, 'Take down').click();
  await page.locator('.badge', { hasText: 'Flagged' }).waitFor();
  await page.locator('.facts').getByText(HOSTILE).first().waitFor();
  await check(page, 'admin-link');
  expect((await visit(waypost.redirect, `/${other}`)).status).toBe(403);
  await button(page, 'Review…').click();
  await dialog.getByLabel('Decision').selectOption('clear');
  await dialog.getByLabel('Reason').fill('A mistake of ours.');
  await inDialog(page, 'Decide').click();
  await page.locator('.badge', { hasText: 'Active' }).waitFor();

  await page.locator('.meta').getByRole('link', { name: 'Audit log' }).click();
  await heading(page, 'Audit log').waitFor();
  await page.locator('tbody tr', { hasText: 'Link reviewed' }).getByText('A mistake of ours.').waitFor();
  const takenDown = page.locator('tbody tr', { hasText: 'Link taken down' });
  await takenDown.getByText(HOSTILE).waitFor();
  expect(await page.locator('tbody tr').count()).toBe(2);
  await check(page, 'admin-audit');
  await page.getByLabel('What', { exact: true }).selectOption('Link taken down');
  await page.waitForURL(/action=link.taken_down/);
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
  await page.getByLabel('Of what: e-mail, address or key id').fill('');
  await page.keyboard.press('Enter');
  await page.waitForURL(({ searchParams }) => !searchParams.has('subject'));
  await takenDown.first().waitFor();
}, 180_000);

test('an administrator makes a key for another account, shown once, and deletes it', async () => {
  const [{ page }, user] = [await newAdministrator(), await newUser()];
  await open(page, `/admin?search=${user.email}`, 'Accounts');
  await page.getByRole('link', { name: `Keys of ${user.email}` }).click();
  await heading(page, `API keys of ${user.email}`).waitFor();
  await page.getByText('1 of 20 in use').waitFor();
  await check(page, 'admin-keys');
  await button(page, 'Create key').click();
  await page.getByRole('dialog').getByLabel('Name').fill(HOSTILE);
  await page.getByLabel('Last day').fill('2020-01-01');
  await page.getByLabel('Last day').press('Enter');
  await page.getByText('must be in the future', { exact: false }).waitFor();
  await check(page, 'admin-keys-create');
  await page.getByLabel('Last day').fill('2999-12-31');
  await page.getByLabel('Last day').press('Enter');
  await heading(page, 'Copy your new key now').waitFor();
  const key = await secretShown(page);
  const theirs = apiClient(waypost.api, key);
  expect((await theirs('GET', '/api/v1/account')).body).toMatchObject({ email: user.email });
  await page.getByText('2 of 20 in use').waitFor();
  await page.locator('tbody').getByText(HOSTILE).waitFor();
  await page.getByText(/^Until .*3000/).waitFor();
  await button(page, `Delete the key ${HOSTILE}`).click();
  await inDialog(page, 'Delete key').click();
  await page.getByText('1 of 20 in use').waitFor();
  expect(await theirs('GET', '/api/v1/account')).toMatchObject({ status: 401 });
  await open(page, `/admin/audit?subject=${encodeURIComponent(user.email)}`, 'Audit log');
  await page.locator('tbody tr', { hasText: 'Key deleted' }).waitFor();
  await open(page, '/admin/keys?account=nobody%2F%25@example.org', 'API keys of nobody/%@example.org');
  await page.getByRole('alert').waitFor();
  await check(page, 'admin-keys-missing');
}, 120_000);

test('feeds show their age and what is wrong with them', async () => {
  const { page } = await newAdministrator();
  await importFeed(waypost, 'https://listed.example.net/\n', { name: 'made-for-this' });
  await open(page, '/admin/feeds', 'Feeds');
  const made = page.locator('tbody tr', { hasText: 'made-for-this' });
  await made.getByText('this minute').waitFor();
  await made.getByText('Well').waitFor();
  await check(page, 'admin-feeds');
  await page.route('**/api/v1/admin/feeds', async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: object[] };
    const [first] = data;
    const odd = [
      { ...first, name: 'late', stale: true, updated_at: '2026-01-01T00:00:00.000Z', last_error: null },
      { ...first, name: HOSTILE, stale: false, last_error: `it answered 500 ${'x'.repeat(300)}` },
      { ...first, name: 'never', stale: true, updated_at: null, age_seconds: null, last_error: 'no answer' },
    ];
    await route.fulfill({ response, json: { data: odd } });
  });
  await page.reload();
  await page.locator('tbody tr', { hasText: 'late' }).getByText('Out of date').waitFor();
  await page.locator('tbody tr', { hasText: HOSTILE }).getByText('Update failed').waitFor();
  await page.locator('tbody tr', { hasText: 'no answer' }).getByText('Never', { exact: true }).waitFor();
  await check(page, 'admin-feeds-odd');
  await page.unrouteAll();
  await page.route('**/api/v1/admin/feeds', (route) => route.fulfill({ json: { data: [] } }));
  await page.reload();
  await page.getByText('There are no feeds.').waitFor();
  await page.unrouteAll();
  await page.route('**/api/v1/admin/feeds', (route) => route.abort());
  await page.reload();
  await page.getByText('This did not load.').waitFor({ timeout: 30_000 });
  await check(page, 'admin-feeds-failed');
}, 120_000);

test('older entries of the audit log come when they are asked for', async () => {
  const [{ page }, { email }] = [await newAdministrator(), await newUser()];
  for (let limit = 1; limit <= 60; limit++)
    await waypost.admin('set-limit', { email, 'creations-per-hour': String(limit) });
  await open(page, `/admin/audit?subject=${encodeURIComponent(email)}`, 'Audit log');
  await page.locator('tbody tr').nth(49).waitFor();
  expect(await page.locator('tbody tr').count()).toBe(50);
  await button(page, 'Older').click();
  await page.locator('tbody tr').nth(61).waitFor();
  await button(page, 'Older').waitFor({ state: 'detached' });
}, 60_000);

test('health names what Waypost depends on; who is no administrator is told so', async () => {
  const [{ page }, user] = [await newAdministrator(), await newUser()];
  await open(page, '/admin/health', 'Health');
  await page.getByText('Waypost can do its work.').waitFor();
  expect(await page.locator('tbody .badge', { hasText: 'Well' }).count()).toBeGreaterThan(0);
  await check(page, 'admin-health');
  expect(await user.page.getByRole('link', { name: 'Admin' }).count()).toBe(0);
  await open(user.page, '/admin/audit', 'For administrators only');
  await check(user.page, 'admins-only');
}, 120_000);

test('in German, at 360 px as well', async () => {
  const { page } = await newAdministrator({ locale: 'de-AT' });
  for (const [path, name] of [
    ['/webhooks', 'Webhooks'],
    ['/admin', 'Konten'],
    ['/admin/reports?state=all', 'Meldungen'],
    ['/admin/links', 'Jeder Link'],
    ['/admin/keys?account=ada@example.org', 'API-Schlüssel von ada@example.org'],
    ['/admin/feeds', 'Feeds'],
    ['/admin/audit', 'Protokoll'],
    ['/admin/health', 'Zustand'],
  ] as const) {
    await open(page, path, name);
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await check(page, `german${path.replaceAll(/\W/g, '-')}`);
  }
}, 180_000);

test('no browser found anything to complain about, or asked anybody else', expectContent);
