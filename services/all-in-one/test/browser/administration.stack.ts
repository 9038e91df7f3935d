import { expect, test } from '@jest/globals';
import { freshEmail } from '../people.ts';
import { DESTINATION, freshHost, freshSlug, newLink, newSlugs, visit } from '../support.ts';
import { button, check, dashboard, heading, inDialog, secretShown } from './browser.ts';

const { waypost, newUser, newAdministrator, open, expectContent } = dashboard({});

const HOSTILE = '"><img src=x onerror=alert(1)> {{7*7}}';

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
  await heading(user.page, 'Account suspended.').waitFor();
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
  const [{ page, api: ownApi }, { api, email }] = [await newAdministrator(), await newUser()];
  // An account without links has no overview.
  await newLink(ownApi);
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

  const navigation = page.getByRole('navigation', { name: 'Main' });
  const waiting = navigation.locator('.waiting');
  await page.reload();
  await waiting.waitFor();
  expect(Number(await waiting.textContent())).toBeGreaterThan(0);
  await navigation.getByRole('link', { name: /^Admin .*reports? (or|and) reviews? waits?/ }).waitFor();
  await open(page, '/', 'Overview');
  const look = page.locator('aside section').getByRole('link', { name: /^\d+ reports?$/ });
  await look.waitFor();
  await check(page, 'admin-overview');
  await look.press('Enter');
  await heading(page, 'Reports').waitFor();
  expect(new URL(page.url()).search).toBe('?kind=report');
  await page.locator('.tabs .waiting').waitFor();

  await open(page, '/admin/reports', 'Reports');
  const caseCard = page.locator('li.card', { hasText: reported });
  await caseCard.getByText(HOSTILE).first().waitFor();
  await caseCard.getByText(email).waitFor();
  await check(page, 'admin-reports');
  await caseCard.getByRole('button', { name: /^Decide / }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Decision').selectOption('Upheld: take the link down');
  expect(await dialog.getByLabel('Suspected of').inputValue()).toBe('scam');
  await dialog.getByLabel('Reason').fill('It asks for a deposit.');
  await check(page, 'admin-decide');
  await inDialog(page, 'Decide permanently').click();
  await page.getByText('No open cases.').waitFor();
  await waiting.waitFor({ state: 'detached' });
  expect((await visit(waypost.redirect, `/${reported}`)).status).toBe(403);
  await button(page, 'Upheld').click();
  await caseCard.getByText('It asks for a deposit.').first().waitFor();
  await check(page, 'admin-reports-upheld');

  await page.getByRole('link', { name: 'Any link' }).click();
  await page.getByLabel('Address or short URL').fill('<script>');
  await page.keyboard.press('Enter');
  await heading(page, 'There is no link at this address.').waitFor();
  await page.getByRole('link', { name: 'Find another link' }).click();
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
  await page.locator('tbody tr', { hasText: 'Link read' }).waitFor();
  expect(await page.locator('tbody tr').count()).toBe(3);
  await check(page, 'admin-audit');
  await page.getByLabel('Action', { exact: true }).selectOption('Link taken down');
  await page.waitForURL(/action=link.taken_down/);
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
  await page.getByLabel('Subject: e-mail, slug or key id').fill('');
  await page.keyboard.press('Enter');
  await page.waitForURL(({ searchParams }) => !searchParams.has('subject'));
  await takenDown.first().waitFor();
}, 180_000);

test('an administrator sees what a take-down of a host would hit, and takes all of it down', async () => {
  const [{ page }, { api, email }] = [await newAdministrator(), await newUser()];
  const host = freshHost('bad');
  const slugs = await newSlugs(api, 12, (i) => ({ destination_url: `https://${host}/<b>${i}` }));
  await page.goto(`${waypost.api}/admin/links/${slugs[0]}`);
  await button(page, 'Take down all links to this host…').click();
  await heading(page, `Take 12 links to ${host} down?`).waitFor();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(email).waitFor();
  expect(await dialog.locator('li').count()).toBe(10);
  await dialog.getByText('and 2 more').waitFor();
  expect((await visit(waypost.redirect, `/${slugs[0]}`)).status).toBe(302);
  await dialog.getByLabel('Suspected of').selectOption('phishing');
  await dialog.getByLabel('Reason').fill(HOSTILE);
  await check(page, 'admin-take-down-host');
  await inDialog(page, 'Take 12 links down').click();
  await page.getByText('12 links taken down.').waitFor();
  await page.locator('.badge', { hasText: 'Flagged' }).waitFor();
  for (const slug of slugs) expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
  await button(page, 'Take down all links to this host…').click();
  await dialog.getByText('Every link of this account to this host is revoked or taken down.').waitFor();
  await check(page, 'admin-take-down-host-none');
}, 120_000);

test('health names the dependencies of Waypost, and tells other people that they are no administrator', async () => {
  const [{ page }, user] = [await newAdministrator(), await newUser()];
  await open(page, '/admin/health', 'Health');
  await page.getByText('Waypost is ready.').waitFor();
  expect(await page.locator('tbody .badge', { hasText: 'OK' }).count()).toBeGreaterThan(0);
  await check(page, 'admin-health');
  expect(await user.page.getByRole('link', { name: 'Admin' }).count()).toBe(0);
  await open(user.page, '/admin/audit', 'For administrators only');
  await check(user.page, 'admins-only');
}, 120_000);

test('the pages of an administrator work in German and at a width of 360 px', async () => {
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

test('no browser complained or sent requests to other hosts', expectContent);
