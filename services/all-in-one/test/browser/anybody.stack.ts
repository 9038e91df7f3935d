import { expect, test } from '@jest/globals';
import { freshEmail, PASSWORD } from '../people.ts';
import { DESTINATION, freshSlug } from '../support.ts';
import { check, dashboard, heading, signIn } from './browser.ts';

const { waypost, newPage, newUser, open, expectContent } = dashboard();

test('by keyboard alone a person creates, finds, opens and revokes a link, and keeps the focus', async () => {
  const { page } = await newUser();
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  const focused = () =>
    page.evaluate<string>("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent");
  const tabTo = async (name: string) => {
    for (let i = 0; i < 60; i++) {
      await press('Tab');
      if ((await focused()).startsWith(name)) return;
    }
    throw new Error(`The focus never comes to ${name}: it is on ${await focused()}`);
  };
  await page.reload();
  await heading(page, 'Links').waitFor();
  await tabTo('Skip to content');
  await press('Enter');
  const slug = freshSlug('keys');
  await press('n');
  await page.keyboard.type(`${DESTINATION}?keyboard`);
  await tabTo('Custom address');
  await press('Enter');
  await page.keyboard.type(slug);
  await press('Enter');
  await page.locator('.note.good').waitFor();
  await tabTo('Links');
  await press('/');
  // The shortcut `/` must move the focus to the search field and must not type into the create bar.
  await page.getByLabel('Search links').focus();
  await page.keyboard.type(slug);
  await page.waitForURL(/search=/);
  await tabTo(`${new URL(waypost.redirect).host.replace('127.0.0.1', 'localhost')}/${slug}`);
  await press('Enter');
  await heading(page, `${new URL(waypost.redirect).host.replace('127.0.0.1', 'localhost')}/${slug}`).waitFor();
  expect(await page.title()).toContain(slug);
  await tabTo('Revoke…');
  await press('Enter');
  await page.getByRole('dialog').waitFor();
  expect(await focused()).toBe('Keep the link');
  await press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('Revoke…');
  await press('Enter', 'Tab');
  expect(await focused()).toBe('Revoke permanently');
  await press('Enter');
  await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
  await press('b');
  await open(page, '/links', 'Links');
  await press('b');
  await heading(page, 'Many at once').waitFor();
}, 60_000);

test('hostile text is plain text in every field, and fits into 360 px', async () => {
  const { page, api } = await newUser();
  const long = `${DESTINATION}?${'x'.repeat(2048 - DESTINATION.length - 1)}`;
  const nasty = [
    '"><img src=x onerror=alert(1)>',
    '\u05d0\u05d1 txt.exe',
    '👩‍👩‍👧‍👦 🏳️‍🌈',
    'x'.repeat(50),
    '=1+1',
    '{{7*7}}',
  ];
  await page.getByLabel('Long URL').fill(long);
  await page.getByRole('button', { name: 'Custom address' }).click();
  await page.getByRole('textbox', { name: 'Custom address' }).fill('<script>alert(1)</script>\u202e');
  await page.locator('.under').getByRole('button', { name: 'Tags' }).click();
  for (const tag of nasty) {
    await page.getByRole('combobox', { name: 'Tags' }).fill(tag);
    await page.keyboard.press('Enter');
  }
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText(/^Custom address must contain only/).waitFor();
  await check(page, 'hostile-create');
  await page.getByRole('textbox', { name: 'Custom address' }).fill('a'.repeat(40) + freshSlug('').slice(0, 10));
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.locator('.note.good').waitFor();
  const [link] = (await api('GET', '/api/v1/links')).body.data;
  expect([link.destination_url, link.tags]).toEqual([long, nasty]);
  await check(page, 'hostile-links');
  await page.getByRole('link', { name: link.slug }).first().click();
  await page.getByText('Scan').waitFor();
  await check(page, 'hostile-link');
  await page.goto(
    `${waypost.api}/links?search=${encodeURIComponent('<script>\u202e%00'.repeat(100))}&tag=${encodeURIComponent(nasty.join(''))}`,
  );
  await page.getByText('Nothing matches.').waitFor();
  await check(page, 'hostile-search');
  for (const where of [
    '/links?page=-1&limit=7&sort=x&status=y',
    '/links?page=99999',
    '/links?search=%00&tag=%00',
    '/links/%3Cscript%3E',
    `/links/${'a'.repeat(3_000)}`,
  ]) {
    await page.goto(`${waypost.api}${where}`);
    await page.locator('h1').waitFor();
  }
  await page.getByText('You have no link at this address.').waitFor();
  await page.goto(`${waypost.api}/many`);
  // With a quotation mark or a space, a line may have several columns, and the list is refused as a whole.
  const words = nasty.map((text) => text.replaceAll(/["\s]/g, ''));
  const lines = [long, ...words, 'javascript:alert(1)', '\u0000\ud800'];
  await page.getByLabel('One link per line').fill(lines.join('\n'));
  await page.getByRole('button', { name: /^Check \d+ links$/ }).click();
  await page.locator('.act b', { hasText: 'rows to correct.' }).waitFor();
  await check(page, 'hostile-many');
  await page.getByLabel('One link per line').fill('[1, null, {"destination_url": {"a": 1}, "tags": "x"}, "y"]');
  await page.getByRole('button', { name: 'Check 4 links' }).click();
  await page.locator('.act b', { hasText: '4 rows to correct.' }).waitFor();
  await page.getByLabel('One link per line').fill('[1, ');
  await page.getByText(/not valid JSON/).waitFor();
}, 120_000);

test('German comes from the browser, English by choice', async () => {
  const email = freshEmail();
  await waypost.admin('create-account', { email, password: PASSWORD });
  const { page } = await newPage({ locale: 'de-AT' });
  await open(page, '/', 'Anmelden');
  await signIn(page, email);
  await page.getByText('Noch keine Links.').waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  await check(page, 'german-links');
  await page.getByLabel('Lange URL').fill(DESTINATION);
  await page.getByRole('button', { name: 'Kürzen' }).click();
  await page.locator('.note.good').waitFor();
  await page.locator('tbody a').click();
  await page.getByText('Keine Klicks in den letzten 7 Tagen.').waitFor();
  await check(page, 'german-link');
  for (const [where, name] of [
    ['/many', 'Viele auf einmal'],
    ['/keys', 'API-Schlüssel'],
    ['/usage', 'Verbrauch'],
    ['/settings', 'Einstellungen'],
  ] as const) {
    await open(page, where, name);
    await check(page, `german${where.replace('/', '-')}`);
  }
  await page.getByLabel('Sprache').selectOption('English');
  await heading(page, 'Settings').waitFor();
  await page.reload();
  await heading(page, 'Settings').waitFor();
}, 120_000);

test('no browser complained or sent requests to other hosts', expectContent);
