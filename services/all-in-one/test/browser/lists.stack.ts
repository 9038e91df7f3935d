import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { DESTINATION, freshSlug, listedUrl, newLink, newSlugs } from '../support.ts';
import { check, contentOf, dashboard, downloaded, heading } from './browser.ts';

const { waypost, newPage, newUser, open, expectContent } = dashboard();

test('the first load is at most 150 kB of script, and Many at once comes later', async () => {
  const { page, context } = await newPage();
  const scripts: Promise<Buffer>[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(response.body());
  });
  await open(page, '/', 'Sign in');
  const bytes = (await Promise.all(scripts)).reduce((sum, body) => sum + gzipSync(body).length, 0);
  process.stdout.write(
    `first load: ${(bytes / 1000).toFixed(1)} kB of script, compressed, in ${scripts.length} files\n`,
  );
  expect(bytes).toBeGreaterThan(50_000);
  expect(bytes).toBeLessThanOrEqual(150_000);
  await context.close();
}, 60_000);

test('10,000 links have pages, filters in the address, sorting, and an export that can be stopped', async () => {
  const { page, api } = await newUser();
  for (let from = 0; from < 10_000; from += 500)
    await newSlugs(api, 500, (i) => ({
      destination_url: `${DESTINATION}?${from + i}`,
      tags: i % 100 === 0 ? ['hundreds', 'x'] : ['x'],
    }));
  await page.goto(`${waypost.api}/links?limit=100&page=100&sort=destination_url&order=asc`);
  await page.getByText('Page 100 of 100', { exact: true }).waitFor();
  expect(await page.locator('tbody tr').count()).toBe(100);
  expect(await page.getByRole('columnheader', { name: 'Link' }).getAttribute('aria-sort')).toBe(null);
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByText('Page 99 of 100', { exact: true }).waitFor();

  await page.goto(`${waypost.api}/links`);
  await page.getByPlaceholder('Filter by tag').fill('hundreds');
  await page.keyboard.press('Enter');
  await page.getByText('1–25 of 100').waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Search links').fill('?9');
  await page.getByText('1–11 of 11').waitFor();
  await page.getByLabel('Order').selectOption('destination_url asc');
  await page.waitForURL(/search=%3F9.*sort=destination_url.*order=asc.*tag=hundreds/);
  await page.reload();
  await page.getByText('1–11 of 11').waitFor();
  const urls = await page
    .locator('tbody .dest')
    .evaluateAll((cells) => cells.map((cell) => cell.getAttribute('title')));
  expect(urls).toEqual([...urls].sort());
  await check(page, 'links-filtered');

  await page.getByRole('button', { name: 'Export' }).click();
  await heading(page, 'Export 11 links').waitFor();
  await check(page, 'export');
  const csv = await contentOf(await downloaded(page, () => page.getByRole('button', { name: 'CSV' }).click()));
  expect(csv.trimEnd().split('\r\n')).toHaveLength(12);
  expect(csv.split('\r\n', 1)[0]).toBe(
    'slug,destination_url,status,threat_type,tags,created_at,updated_at,revoked_at,title,note,ends_at',
  );
  expect(csv).toContain('"hundreds,x"');

  await page.getByLabel('Search links').fill('');
  await page.getByRole('button', { name: 'Remove tag hundreds' }).click();
  await page.getByText('of 10,000').first().waitFor();
  let pages = 0;
  await page.route('**/api/v1/links?*limit=100*', (route) => {
    pages++;
    return route.continue();
  });
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'JSON lines' }).click();
  await page.getByText(/^[1-9][\d,]* of 10,000$/).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForTimeout(500);
  const stopped = pages;
  expect(stopped).toBeLessThan(100);
  await page.waitForTimeout(1_000);
  expect(pages).toBe(stopped);
  await page.getByRole('button', { name: 'Export' }).click();
  const lines = await contentOf(await downloaded(page, () => page.getByRole('button', { name: 'JSON lines' }).click()));
  const slugs = lines
    .trimEnd()
    .split('\n')
    .map((line): string => JSON.parse(line).slug);
  expect([slugs.length, new Set(slugs).size]).toEqual([10_000, 10_000]);
}, 180_000);

test('a page of the list that no longer exists is replaced: "back" leads to the earlier page', async () => {
  const { page, api } = await newUser();
  await newSlugs(api, 26, (i) => ({ destination_url: `${DESTINATION}?${i}`, custom_slug: freshSlug(`n${i}`) }));
  await page.goto(`${waypost.api}/usage`);
  await page.goto(`${waypost.api}/links?status=active&page=2`);
  await page.getByText('26–26 of 26').waitFor();
  const [last] = (await api('GET', '/api/v1/links?status=active&page=2&limit=25')).body.data;
  expect((await api('POST', `/api/v1/links/${last.slug}/revoke`)).status).toBe(200);
  await page.reload();
  await page.getByText('1–25 of 25').waitFor();
  await page.goBack();
  await heading(page, 'Usage').waitFor();
}, 60_000);

test('the list shows how many links have each status, and suggests the tags in use', async () => {
  const { page, api } = await newUser();
  await newSlugs(api, 3, (i) => ({
    destination_url: `${DESTINATION}?${i}`,
    tags: i === 0 ? ['docs'] : ['docs', 'autumn'],
  }));
  const { slug } = await newLink(api);
  await api('POST', `/api/v1/links/${slug}/revoke`);
  await newLink(api, { destination_url: await listedUrl(waypost) });
  await page.reload();
  for (const name of ['All 5', 'Active 3', 'Flagged 1', 'Revoked 1'])
    await page.getByRole('button', { name, exact: true }).waitFor();
  const suggested = () =>
    page
      .locator('.tagfilter option')
      .evaluateAll((options) => options.map((each) => `${each.getAttribute('value')}: ${each.getAttribute('label')}`));
  expect(await suggested()).toEqual(['docs: 3 links', 'autumn: 2 links']);
  await check(page, 'links-counted');
  await page.getByRole('button', { name: 'Flagged 1' }).press('Enter');
  await page.getByText('1–1 of 1').waitFor();
  await page.getByRole('button', { name: 'All 5' }).press('Enter');
  await page.getByPlaceholder('Filter by tag').fill('autumn');
  await page.keyboard.press('Enter');
  await page.getByText('1–2 of 2').waitFor();

  await page.getByLabel('Long URL').fill(DESTINATION);
  await page.locator('.under').getByRole('button', { name: 'Tags' }).click();
  await page.getByRole('combobox', { name: 'Tags' }).fill('winter');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByRole('button', { name: 'Active 4' }).waitFor();
  expect(await suggested()).toContain('winter: 1 link');
}, 120_000);

test('no browser complained or sent requests to other hosts', expectContent);
