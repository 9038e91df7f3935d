import { expect, test } from '@jest/globals';
import { DESTINATION, times } from '../support.ts';
import { check, dashboard, heading } from './browser.ts';

const { waypost, newUser, expectContent } = dashboard();

test('a CSV file of many links is read, and the page warns before and after that the quota is too small', async () => {
  const { page, api, email } = await newUser();
  await waypost.admin('set-limit', { email, 'creations-per-hour': '10' });
  await page.reload();
  await page.getByRole('button', { name: 'Many at once' }).click();
  const rows = times(12, (i) => `${DESTINATION}?${i},,"a,b",poster\r\n`).join('');
  const csv = `destination_url,custom_slug,tags,utm_source\r\n${rows}`;
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('button', { name: 'Campaign' }).click();
  await page.getByRole('textbox', { name: 'Campaign' }).fill('spring');
  await page.getByRole('button', { name: 'Check 12 links' }).click();
  await page.getByText('Of these 12 links, you can create 10 now').waitFor();
  await page.getByRole('button', { name: 'Create 12 links' }).click();
  await page.getByText('10 of 12 created').first().waitFor();
  await page.getByText(/2 rows remain\. The quota of this hour is used up\. You can create more at/).waitFor();
  await check(page, 'many-waiting');
  // The list must survive a visit to another screen.
  await page.getByRole('link', { name: 'Links', exact: true }).first().click();
  await heading(page, 'Links').waitFor();
  await page.getByRole('button', { name: 'Many at once' }).click();
  await page
    .getByText(/10 of 12 created/)
    .first()
    .waitFor();
  await waypost.admin('set-limit', { email, 'creations-per-hour': '100' });
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('12 of 12 created').first().waitFor();
  const { body } = await api('GET', '/api/v1/links?tag=a&tag=b');
  expect(body.total).toBe(12);
  const campaign = /\?\d+&utm_source=poster&utm_campaign=spring$/;
  for (const link of body.data) expect(link.destination_url).toMatch(campaign);

  await page.getByRole('button', { name: 'Another list' }).click();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'links.bin', mimeType: 'text/csv', buffer: Buffer.from([0xff, 0xfe, 0x00]) });
  await page.getByText('links.bin must be a UTF-8 text file').waitFor();
}, 120_000);

test('an address without https can also create many links and copy secrets', async () => {
  const { page } = await newUser();
  await page.addInitScript('delete Crypto.prototype.randomUUID; delete Navigator.prototype.clipboard;');
  await page.reload();
  expect(await page.evaluate('[typeof crypto.randomUUID, typeof navigator.clipboard]')).toEqual([
    'undefined',
    'undefined',
  ]);
  await page.getByRole('button', { name: 'Many at once' }).click();
  await page.getByLabel('One link per line').fill(`${DESTINATION}?1\n${DESTINATION}?2`);
  await page.getByRole('button', { name: 'Check 2 links' }).click();
  await page.getByRole('button', { name: 'Create 2 links' }).click();
  await page.getByText('2 of 2 created').first().waitFor();

  await page.goto(`${waypost.api}/keys`);
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('laptop');
  await page.keyboard.press('Enter');
  const key = await page.locator('.secret code').textContent();
  await page.getByRole('dialog').getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('dialog').getByRole('status').getByText('Copied the key').waitFor({ state: 'attached' });
  await page.getByLabel('I have stored this key').check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').focus();
  await page.keyboard.press('Control+V');
  expect(await page.getByLabel('Name').inputValue()).toBe(key);
}, 60_000);

test('no browser complained or sent requests to other hosts', () => expectContent(2));
