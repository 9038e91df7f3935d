import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DESTINATION, freshSlug, newSlug, times } from '../support.ts';
import { button, check, dashboard, heading, inDialog, menuItem, menuOf, revokeRow } from './browser.ts';

const { waypost, newPage, newUser, open, expectContent } = dashboard();

const DAY_MS = 24 * 60 * 60_000;
const CAMPAIGN = 'utm_source=mail&utm_campaign=Fr%C3%BChling%20%26%20mehr';

const offered = (page: Page, field: string) =>
  page
    .locator(`input[name=${field}] ~ datalist option`)
    .evaluateAll((options) => options.map((each) => each.getAttribute('value')));
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement.ariaLabel || document.activeElement.textContent');

test('a new link gets title, note, end and campaign; its preset stays, and its values are offered', async () => {
  const { page, api } = await newUser();
  await page.route('**/api/v1/links?search=utm_*', (route) => route.fulfill({ status: 500, body: 'x' }));
  await page.getByLabel('Long URL').fill(`${DESTINATION}?a=1&utm_source=old#top`);
  await button(page, 'Title, note, end').press('Enter');
  await page.keyboard.type('Spring sale');
  await page.getByLabel('Note').fill('One\nTwo');
  await button(page, 'in 14 days').press('Enter');
  await button(page, 'Campaign').press('Enter');
  await page.getByLabel('Source', { exact: true }).fill(' mail ');
  await page.getByRole('textbox', { name: 'Campaign' }).fill('Frühling & mehr');
  await page.getByText('Replaced in the URL: utm_source.').waitFor();
  const built = `${DESTINATION}?a=1&${CAMPAIGN}#top`;
  expect(await page.locator('.utm bdi').textContent()).toBe(built);
  await page.getByLabel('Name of a preset').fill('Newsletter');
  await page.keyboard.press('Enter');
  await page.locator('.utm').getByText('Preset “Newsletter” is saved in this browser.').waitFor();
  await page.getByRole('textbox', { name: 'Campaign' }).press('Enter');
  await page.locator('.note.good').waitFor();
  const [link] = (await api('GET', '/api/v1/links')).body.data;
  expect(link).toMatchObject({ destination_url: built, title: 'Spring sale', note: 'One\nTwo' });
  expect(Math.round((Date.parse(link.ends_at) - Date.now()) / DAY_MS)).toBe(14);
  await page.locator('tbody').getByText('Ends in 14 days').waitFor();

  const german = { locale: 'de-DE', storageState: await page.context().storageState() };
  const { page: own } = await newPage(german);
  await own.goto(`${waypost.api}/links`);
  for (const name of ['Eigene Adresse', 'Tags', 'Titel, Notiz, Ende', 'Kampagne'])
    await own.locator('.under').getByRole('button', { name }).press('Enter');
  await own.getByLabel('Vorlage', { exact: true }).selectOption('Newsletter');
  expect(await own.getByRole('combobox', { name: 'Kampagne' }).inputValue()).toBe('Frühling & mehr');
  expect([await offered(own, 'utm_source'), await offered(own, 'utm_term')]).toEqual([['mail'], []]);
  await own.getByLabel('Lange URL').fill(`${DESTINATION}?${'long'.repeat(300)}`);
  await own.getByLabel('Ende', { exact: true }).fill('2020-06-01T18:00');
  await check(own, 'new-link-german');
  await own.getByLabel('Lange URL').press('Enter');
  await own.getByText('Ende: muss in der Zukunft liegen.').waitFor();
}, 60_000);

test('the menu of a row works by keyboard, and leads to what a link is for, which is changed in place and undone', async () => {
  const { page, api } = await newUser();
  const tags = times(10, (i) => `${i} ${'w'.repeat(48)}`);
  const [full, other] = [
    await newSlug(api, {
      custom_slug: freshSlug('x'.repeat(20)),
      title: 'Old '.repeat(49),
      note: 'Note\n'.repeat(390),
      tags,
    }),
    await newSlug(api, { tags: ['draft'] }),
  ];
  await open(page, '/links', 'Links');
  await menuOf(page, full);
  expect(await focused(page)).toBe('Copy short URL');
  await check(page, 'row-menu');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(new RegExp(`^http://\\S+/${full}$`));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Escape');
  expect([await focused(page), await page.getByRole('menu').count()]).toEqual([`Actions for ${full}`, 0]);
  await revokeRow(page, full);
  await inDialog(page, 'Keep the link').press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused(page)).toBe(`Actions for ${full}`);
  await menuOf(page, full);
  await menuItem(page, 'Edit title, note, tags, end').press('Enter');
  await button(page, 'Save').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Summer sale');
  await button(page, 'tomorrow').press('Enter');
  await button(page, 'Save').press('Enter');
  await heading(page, 'Summer sale').waitFor();
  await check(page, 'link-full');
  await button(page, 'Undo').press('Enter');
  await heading(page, 'Old '.repeat(49).trim()).waitFor();
  expect((await api('GET', `/api/v1/links/${full}`)).body.ends_at).toBeNull();
  await button(page, 'Undo').press('Enter');
  await heading(page, 'Summer sale').waitFor();

  await open(page, '/', 'Overview');
  await page
    .locator('.looks')
    .getByText(/^This link ends on /)
    .waitFor();
  await page.locator('.looks').getByRole('link', { name: 'Summer sale' }).press('Enter');
  await heading(page, 'Summer sale').waitFor();

  await open(page, '/links', 'Links');
  await page.getByLabel('Select all on this page').check();
  await button(page, 'Tags…').press('Enter');
  await page.getByRole('dialog').getByLabel('Tags to add').fill('autumn,');
  await page.getByText(`More than 10 tags are not allowed: ${full}.`).waitFor();
  await page.getByRole('dialog').getByLabel('Tags to remove').fill(`${tags[0]},draft,`);
  await page.getByText('2 of 2 links will change.').waitFor();
  await check(page, 'tag-many');
  await inDialog(page, 'Change 2 links').press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const changed = await Promise.all([full, other].map((slug) => api('GET', `/api/v1/links/${slug}`)));
  expect(changed.map(({ body }) => body.tags)).toEqual([[...tags.slice(1), 'autumn'], ['autumn']]);
}, 90_000);

test('no browser complained or sent requests to other hosts', expectContent);
