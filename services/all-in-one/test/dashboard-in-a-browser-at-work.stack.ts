/** The dashboard in Chromium at work: many links, exports, live numbers, two tabs, keyboard alone, hostile text, German. */
import fs from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import type { Download, Page } from 'playwright-core';
import decodeQr from 'qr/decode.js';
import { check, dashboard, heading, signIn } from './browser.ts';
import { freshEmail, PASSWORD } from './people.ts';
import { comesTo, DESTINATION, eventually, freshSlug, listedUrl, newLink, newSlugs, times, visit } from './support.ts';

const { waypost, newPage, newUser, open, expectContent } = dashboard();

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  await page.keyboard.press('Control+V');
}

const contentOf = async (download: Download) => fs.readFileSync(await download.path(), 'utf8');

/** What a browser tells a page that comes to the front or leaves it. */
const LOOK = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))";

/** The download that this begins. */
async function downloaded(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}

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

test('many at once: bad rows are named and left out, the others made', async () => {
  const { page, api } = await newUser();
  const [taken, wanted] = [freshSlug(), freshSlug()];
  await newLink(api, { custom_slug: taken });
  const listed = await listedUrl(waypost);
  await page.getByLabel('Long URL').focus();
  await paste(
    page,
    [
      `${DESTINATION}?first, ${wanted}`,
      listed,
      `${DESTINATION}?taken, ${taken}`,
      'www.wikipedia.org/no-scheme',
      `${DESTINATION}?again, ${wanted}`,
      `${DESTINATION}?q=<script>alert(1)</script>`,
    ].join('\n'),
  );
  await heading(page, 'Many at once').waitFor();
  await page.getByLabel('Tags for all').fill('bulk,');
  await page.getByRole('button', { name: 'Check 6 links' }).click();
  const row = (n: number) => page.locator('table.rows tbody tr').nth(n - 1);
  await row(3).getByText('custom_slug is taken').waitFor();
  await row(4).getByText('destination_url', { exact: false }).waitFor();
  await row(5).getByText('Same address as line 1').waitFor();
  await row(2).getByText('Will be flagged: suspected of malware').waitFor();
  expect(await row(1).textContent()).toContain(`${wanted}Ready`);
  expect((await api('GET', '/api/v1/links')).body.total).toBe(1);
  await check(page, 'many-preview');
  expect(await page.getByRole('button', { name: 'Create 6 links' }).getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('button', { name: 'Leave out 3 rows' }).click();
  await page.getByRole('button', { name: 'Create 3 links' }).click();
  await page.getByText('3 of 3 made').first().waitFor();
  await check(page, 'many-made');
  const results = await contentOf(
    await downloaded(page, () => page.getByRole('button', { name: 'Download the results' }).click()),
  );
  expect(results.split('\r\n')).toHaveLength(5);
  expect(results).toContain(`line 1,active,`);
  expect(results).toContain(`line 2,flagged,`);
  const list = (await api('GET', '/api/v1/links?tag=bulk')).body;
  expect(list.total).toBe(3);
  await page.getByRole('button', { name: 'Another list' }).click();
  expect(await page.getByLabel('One link per line').inputValue()).toBe('');
}, 120_000);

test('many at once: a CSV file is read; more than the quota is said before and after', async () => {
  const { page, api, email } = await newUser();
  await waypost.admin('set-limit', { email, 'creations-per-hour': '10' });
  await page.reload();
  await page.getByRole('button', { name: 'Many at once' }).click();
  const csv = `destination_url,custom_slug,tags\r\n${times(12, (i) => `${DESTINATION}?${i},,"a,b"\r\n`).join('')}`;
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('button', { name: 'Check 12 links' }).click();
  await page.getByText('This needs 12, you have 10 left').waitFor();
  await page.getByRole('button', { name: 'Create 12 links' }).click();
  await page.getByText('10 of 12 made').first().waitFor();
  await page.getByText(/2 rows are left\. This hour's links are used up; more at/).waitFor();
  await check(page, 'many-waiting');
  // A look at another screen forgets nothing.
  await page.getByRole('link', { name: 'Links', exact: true }).first().click();
  await heading(page, 'Links').waitFor();
  await page.getByRole('button', { name: 'Many at once' }).click();
  await page
    .getByText(/10 of 12 made/)
    .first()
    .waitFor();
  await waypost.admin('set-limit', { email, 'creations-per-hour': '100' });
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('12 of 12 made').first().waitFor();
  const { body } = await api('GET', '/api/v1/links?tag=a&tag=b');
  expect(body.total).toBe(12);

  await page.getByRole('button', { name: 'Another list' }).click();
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'links.bin', mimeType: 'text/csv', buffer: Buffer.from([0xff, 0xfe, 0x00]) });
  await page.getByText('links.bin is no UTF-8 text').waitFor();
}, 120_000);

test('many at once: a tag that is added during a check is on the links', async () => {
  const { page, api } = await newUser();
  await page.getByRole('button', { name: 'Many at once' }).click();
  await page.getByLabel('One link per line').fill(`${DESTINATION}?1\n${DESTINATION}?2`);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/v1/links/bulk?dry_run=true', async (route) => {
    await held;
    // The page may have given it up.
    await route.continue().catch(() => undefined);
  });
  await page.getByRole('button', { name: 'Check 2 links' }).click();
  await page.getByText('0 of 2 checked').first().waitFor();
  await page.getByLabel('Tags for all').fill('late,');
  release();
  await page.getByRole('button', { name: 'Check 2 links' }).click();
  await page.getByRole('button', { name: 'Create 2 links' }).click();
  await page.getByText('2 of 2 made').first().waitFor();
  expect((await api('GET', '/api/v1/links?tag=late')).body.total).toBe(2);
}, 60_000);

test('many at once: a network cut in the middle loses nothing and makes nothing twice', async () => {
  const { page, api } = await newUser();
  await page.getByRole('button', { name: 'Many at once' }).click();
  await page.getByLabel('One link per line').fill(times(500, (i) => `${DESTINATION}?${i}`).join('\n'));
  await page.getByRole('button', { name: 'Check 500 links' }).click();
  const create = page.getByRole('button', { name: 'Create 500 links' });
  await create.waitFor();
  let sent = 0;
  // The third batch arrives, but its answer does not.
  await page.route('**/api/v1/links/bulk', async (route) => {
    if (++sent < 3) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await create.click();
  await page.getByText('No answer came for 100 rows.').waitFor({ timeout: 30_000 });
  await page.getByText('200 of 500 made').first().waitFor();
  await check(page, 'many-cut');
  expect((await api('GET', '/api/v1/links?limit=1')).body.total).toBe(300);
  await page.unroute('**/api/v1/links/bulk');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('500 of 500 made').first().waitFor();
  expect((await api('GET', '/api/v1/links?limit=1')).body.total).toBe(500);
}, 120_000);

test('10,000 links: pages, filters in the address, sorting, export of the filter, and a stop', async () => {
  const { page, api } = await newUser();
  for (let from = 0; from < 10_000; from += 500)
    await newSlugs(api, 500, (i) => ({
      destination_url: `${DESTINATION}?${from + i}`,
      tags: i % 100 === 0 ? ['hundreds', 'x'] : ['x'],
    }));
  await page.goto(`${waypost.api}/?limit=100&page=100&sort=destination_url&order=asc`);
  await page.getByText('Page 100 of 100', { exact: true }).waitFor();
  expect(await page.locator('tbody tr').count()).toBe(100);
  expect(await page.getByRole('columnheader', { name: 'Link' }).getAttribute('aria-sort')).toBe(null);
  const began = performance.now();
  await page.getByRole('button', { name: 'Previous page' }).click();
  await page.getByText('Page 99 of 100', { exact: true }).waitFor();
  const took = performance.now() - began;
  process.stdout.write(`another page of 10,000 links, 100 rows: ${took.toFixed(0)} ms\n`);
  expect(took).toBeLessThan(2_000);

  await page.goto(waypost.api);
  await page.getByPlaceholder('Filter by tag').fill('hundreds');
  await page.keyboard.press('Enter');
  await page.getByText('1–25 of 100').waitFor();
  await page.keyboard.press('Escape');
  await page.getByLabel('Search address or destination').fill('?9');
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
  expect(csv).toMatch(/^slug,destination_url,status,threat_type,tags,created_at,updated_at,revoked_at\r\n/);
  expect(csv).toContain('"hundreds,x"');

  await page.getByLabel('Search address or destination').fill('');
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

test('many are revoked after their number is typed; those that cannot be are named', async () => {
  const { page, api } = await newUser();
  const flagged = freshSlug('flagged');
  await newSlugs(api, 4, (i) => ({ destination_url: `${DESTINATION}?${i}` }));
  await newLink(api, { destination_url: await listedUrl(waypost), custom_slug: flagged });
  await page.reload();
  await page.getByLabel('Select all on this page').check();
  await page.getByText('5 selected').first().waitFor();
  await check(page, 'links-selected');
  await page.locator('.selbar').getByRole('button', { name: 'Revoke…' }).click();
  const dialog = page.getByRole('dialog');
  await heading(page, 'Revoke 5 links?').waitFor();
  await dialog.getByText('This cannot be undone').waitFor();
  const act = dialog.getByRole('button', { name: 'Revoke 5 for good' });
  await act.click({ force: true });
  expect((await api('GET', '/api/v1/links?status=revoked')).body.total).toBe(0);
  await check(page, 'revoke-many');
  await dialog.getByLabel('Type 5 to confirm').fill('5');
  await act.click();
  await dialog.getByText(`1 cannot be revoked, as they are flagged or revoked: ${flagged}.`).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).waitFor();
  await dialog.getByText('4 of 5 revoked').first().waitFor();
  await check(page, 'revoked-many');
  expect((await api('GET', '/api/v1/links?status=revoked')).body.total).toBe(4);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('1 selected').first().waitFor();
}, 60_000);

test('a click moves the numbers while somebody looks, and only then', async () => {
  const { page, api } = await newUser();
  const { slug } = await newLink(api);
  await page.goto(`${waypost.api}/links/${slug}`);
  await page.getByText('No clicks in the last 7 days.').waitFor();
  await check(page, 'link-without-clicks');
  await page.getByRole('button', { name: 'Show 90 days' }).click();
  for (const agent of ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Googlebot/2.1']) {
    expect((await visit(waypost.redirect, `/${slug}`, { headers: { 'User-Agent': agent } })).status).toBe(302);
  }
  const figure = (name: string) => page.locator('.fig', { hasText: name }).locator('b');
  const figures = async () => Promise.all(['Clicks', 'People', 'Bots'].map((name) => figure(name).textContent()));
  expect(await eventually(figures, ([clicks]) => clicks === '2', 30_000)).toEqual(['2', '1', '1']);
  await page.locator('.plot').focus();
  await page.keyboard.press('ArrowLeft');
  await page
    .getByRole('status')
    .getByText(/1 click of people, 1 of bots\.$/)
    .waitFor();
  await page.getByLabel('Include bots').uncheck();
  await comesTo(() => figure('Clicks').textContent(), '1', 5_000);
  await page.getByRole('button', { name: 'Show as table' }).click();
  const csv = await contentOf(await downloaded(page, () => page.getByRole('button', { name: 'Download CSV' }).click()));
  expect(csv.trimEnd().split('\r\n')).toHaveLength(91);
  expect(csv).toMatch(/^date,people,bots\r\n/);
  expect(csv.trimEnd()).toMatch(/,1,1$/);
  await check(page, 'link-with-clicks');

  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('/analytics')) asked++;
  });
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      ${LOOK};`);
  await show('hidden');
  await page.waitForTimeout(500);
  asked = 0;
  await page.waitForTimeout(7_000);
  expect(asked).toBe(0);
  await show('visible');
  await until(() => asked > 0, 7_000);
}, 120_000);

test('the QR code says the short URL, as PNG and as SVG', async () => {
  const { page, api } = await newUser();
  const slug = freshSlug();
  const { body } = await api('POST', '/api/v1/links', { destination_url: DESTINATION, custom_slug: slug });
  await page.reload();
  await page.getByRole('button', { name: `QR code of ${slug}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('img').waitFor();
  await check(page, 'qr');
  for (const [name, head] of [
    ['SVG', '<?xml'],
    ['PNG', '\u0089PNG'],
  ] as const) {
    const download = await downloaded(page, () => dialog.getByRole('link', { name }).click());
    expect(download.suggestedFilename()).toBe(`${slug}.${name.toLowerCase()}`);
    expect(fs.readFileSync(await download.path(), 'latin1').startsWith(head)).toBe(true);
  }
  for (const find of ['a[download$=png]', 'a[download$=svg]']) {
    // As a text: a list of 640,000 numbers takes Playwright half a minute.
    const pixels = await page.evaluate<string>(`(async () => {
      const image = new Image();
      image.src = document.querySelector('dialog ${find}').href;
      await image.decode();
      const paper = new OffscreenCanvas(400, 400).getContext('2d');
      paper.imageSmoothingEnabled = false;
      paper.drawImage(image, 0, 0, 400, 400);
      return Array.from(paper.getImageData(0, 0, 400, 400).data, (byte) => String.fromCharCode(byte)).join('');
    })()`);
    expect(decodeQr({ width: 400, height: 400, data: Buffer.from(pixels, 'latin1') })).toBe(body.short_url);
  }
}, 60_000);

test('no network and a quota that is used up keep what was typed; a retry makes one link', async () => {
  const { page, context, api, email } = await newUser();
  await waypost.admin('set-limit', { email, 'creations-per-hour': '1' });
  const url = page.getByLabel('Long URL');
  await url.fill(`${DESTINATION}?kept`);
  // It arrives, but its answer does not.
  await page.route('**/api/v1/links', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText('Waypost does not answer. What you typed is still here.').waitFor();
  expect(await url.inputValue()).toBe(`${DESTINATION}?kept`);
  await page.unroute('**/api/v1/links');
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.locator('.note.good').waitFor();
  expect((await api('GET', '/api/v1/links')).body.total).toBe(1);

  await url.fill(`${DESTINATION}?second`);
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText('You have made 1 link this hour.').waitFor();
  expect(await url.inputValue()).toBe(`${DESTINATION}?second`);
  await check(page, 'quota-out');
  await context.close();
}, 60_000);

test('two tabs: a sign-out in one is said in the other over its work, which goes on after a sign-in', async () => {
  const { page, context, email } = await newUser();
  const other = await context.newPage();
  await other.goto(`${waypost.api}/settings`);
  await page.getByRole('button', { name: 'Custom address' }).click();
  const slug = freshSlug();
  await page.getByRole('textbox', { name: 'Custom address' }).fill(slug);
  await page.getByLabel('Long URL').fill(`${DESTINATION}?tab`);
  await other.getByRole('button', { name: 'Sign out', exact: true }).click();
  await heading(other, 'Sign in').waitFor();
  await page.getByRole('button', { name: 'Shorten' }).click();
  await heading(page, 'Your session has ended').waitFor();
  await signIn(other, email);
  await other.locator('.create').waitFor();
  // The session of the other tab is this one's as well: coming back is enough.
  await page.evaluate(LOOK);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Long URL').inputValue()).toBe(`${DESTINATION}?tab`);
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.locator('.note.good').waitFor();
  await other.reload();
  await other.getByRole('link', { name: slug }).waitFor();
}, 60_000);

test('a session that ends in the middle of many loses no row', async () => {
  const { page, context, api, email } = await newUser();
  await page.getByRole('button', { name: 'Many at once' }).click();
  await page.getByLabel('One link per line').fill(times(250, (i) => `${DESTINATION}?${i}`).join('\n'));
  await page.getByRole('button', { name: 'Check 250 links' }).click();
  await page.getByRole('button', { name: 'Create 250 links' }).waitFor();
  await context.clearCookies();
  await page.getByRole('button', { name: 'Create 250 links' }).click();
  await heading(page, 'Your session has ended').waitFor();
  await signIn(page, email);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('250 of 250 made').first().waitFor();
  expect((await api('GET', '/api/v1/links?limit=1')).body.total).toBe(250);
}, 60_000);

test('an address without https makes many and copies secrets all the same', async () => {
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
  await page.getByText('2 of 2 made').first().waitFor();

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

test('a page of the list that is gone is replaced: "back" leads to where one was', async () => {
  const { page, api } = await newUser();
  await newSlugs(api, 26, (i) => ({ destination_url: `${DESTINATION}?${i}`, custom_slug: freshSlug(`n${i}`) }));
  await page.goto(`${waypost.api}/usage`);
  await page.goto(`${waypost.api}/?status=active&page=2`);
  await page.getByText('26–26 of 26').waitFor();
  const [last] = (await api('GET', '/api/v1/links?status=active&page=2&limit=25')).body.data;
  expect((await api('POST', `/api/v1/links/${last.slug}/revoke`)).status).toBe(200);
  await page.reload();
  await page.getByText('1–25 of 25').waitFor();
  await page.goBack();
  await heading(page, 'Usage').waitFor();
}, 60_000);

test('20 keys are the most, and the page says so', async () => {
  const { page, email } = await newUser();
  await Promise.all(times(19, (i) => waypost.admin('create-key', { email, name: `key ${i}`, scopes: 'read' })));
  await page.goto(`${waypost.api}/keys`);
  await page.getByText('Delete one of your 20 keys first.').waitFor();
  expect(await page.getByRole('button', { name: 'Create key' }).getAttribute('aria-disabled')).toBe('true');
  await page.getByRole('button', { name: 'Create key' }).click({ force: true });
  expect(await page.getByRole('dialog').count()).toBe(0);
  await check(page, 'keys-full');
  await page.getByRole('button', { name: 'Delete the key key 7', exact: true }).click();
  await page.getByRole('button', { name: 'Delete key' }).click();
  await page.getByText('19 of 20 in use').waitFor();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('the twentieth');
  await page.keyboard.press('Enter');
  await heading(page, 'Copy your new key now').waitFor();
  for (const [name, said] of [
    ['curl', `curl -X POST ${waypost.api}/api/v1/links`],
    ['CLI', `export WAYPOST_URL="${waypost.api}"`],
    ['MCP', `claude mcp add --transport http waypost ${waypost.api}/mcp`],
    ['TypeScript', `new Waypost({ url: "${waypost.api}"`],
  ] as const) {
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
    await page.getByRole('button', { name: `Copy ${name}` }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(said);
  }
}, 60_000);

test('keyboard alone: skip, create, find, open, revoke, with the focus where it was', async () => {
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
  // The focus is in the search field, or the key was typed into the create bar.
  await page.getByLabel('Search address or destination').focus();
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
  expect(await focused()).toBe('Revoke for good');
  await press('Enter');
  await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
  await press('b');
  await open(page, '/', 'Links');
  await press('b');
  await heading(page, 'Many at once').waitFor();
}, 60_000);

test('the list says how many links have each status, and suggests the tags in use', async () => {
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

test('the scan of a link says how old it is, why it was flagged, and what was decided since', async () => {
  const { page, api } = await newUser();
  const url = await listedUrl(waypost, 'phishing');
  const { slug } = await newLink(api, { destination_url: url });
  await page.goto(`${waypost.api}/links/${slug}`);
  const scan = page.locator('section', { hasText: 'Scan' });
  await scan.getByText('Suspected of phishing').waitFor();
  await scan.getByText('this minute').waitFor();
  await scan.locator('.facts').getByText(new URL(url).host).first().waitFor();
  await check(page, 'scan-flagged');
  await page.getByRole('button', { name: 'Ask for a review…' }).press('Enter');
  await page.getByRole('dialog').getByLabel('Why is this wrong?').fill('It is our shop. <script>alert(1)</script>');
  await check(page, 'review-asked');
  await page.getByLabel('Why is this wrong?').press('Enter');
  await page.locator('.note', { hasText: 'You asked for a review: case ' }).waitFor();
  await check(page, 'review-filed');
  const followed = await page.getByRole('link', { name: 'See what becomes of it' }).getAttribute('href');
  expect((await visit(waypost.api, followed ?? '')).text).toContain(slug);
  const reason = `"><img src=x onerror=alert(1)> \u202e${'long'.repeat(40)}`;
  await waypost.admin('take-down', { slug, 'threat-type': 'scam', reason });
  await waypost.admin('review', { slug, decision: 'clear', reason: 'For ourselves.' });
  await page.reload();
  await scan.getByText('No threat found', { exact: true }).waitFor();
  await scan.getByText('History: 3 entries').press('Enter');
  expect(await scan.locator('li').allTextContents()).toEqual([
    expect.stringContaining('Cleared by a review'),
    expect.stringContaining(`Taken down (a scam)take-down: ${reason}`),
    expect.stringContaining('Flagged (phishing)feed:'),
  ]);
  await check(page, 'scan-history');

  const warned = await newLink(api, { destination_url: 'https://bit.ly/3xYz' });
  await page.goto(`${waypost.api}/links/${warned.slug}`);
  await scan.getByText(/^Noted: this may be /).waitFor();
  await check(page, 'scan-noted');
}, 120_000);

test('hostile text is text in every field, and 360 px are enough for it', async () => {
  const { page, api } = await newUser();
  const long = `${DESTINATION}?${'x'.repeat(2048 - DESTINATION.length - 1)}`;
  const nasty = ['"><img src=x onerror=alert(1)>', '\u202etxt.exe', '👩‍👩‍👧‍👦 🏳️‍🌈', 'x'.repeat(50), '=1+1', '{{7*7}}'];
  await page.getByLabel('Long URL').fill(long);
  await page.getByRole('button', { name: 'Custom address' }).click();
  await page.getByRole('textbox', { name: 'Custom address' }).fill('<script>alert(1)</script>\u202e');
  await page.locator('.under').getByRole('button', { name: 'Tags' }).click();
  for (const tag of nasty) {
    await page.getByRole('combobox', { name: 'Tags' }).fill(tag);
    await page.keyboard.press('Enter');
  }
  await page.getByRole('button', { name: 'Shorten' }).click();
  await page.getByText(/^Custom address may hold/).waitFor();
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
    `${waypost.api}/?search=${encodeURIComponent('<script>\u202e%00'.repeat(100))}&tag=${encodeURIComponent(nasty.join(''))}`,
  );
  await page.getByText('Nothing matches.').waitFor();
  await check(page, 'hostile-search');
  for (const where of [
    '/?page=-1&limit=7&sort=x&status=y',
    '/?page=99999',
    '/?search=%00&tag=%00',
    '/links/%3Cscript%3E',
    `/links/${'a'.repeat(3_000)}`,
  ]) {
    await page.goto(`${waypost.api}${where}`);
    await page.locator('h1').waitFor();
  }
  await page.getByText('There is no such link of yours.').waitFor();
  await page.goto(`${waypost.api}/many`);
  await page.getByLabel('One link per line').fill([long, ...nasty, 'javascript:alert(1)', '\u0000\ud800'].join('\n'));
  await page.getByRole('button', { name: /^Check \d+ links$/ }).click();
  await page.locator('.act b', { hasText: 'rows to correct.' }).waitFor();
  await check(page, 'hostile-many');
  await page.getByLabel('One link per line').fill('[1, null, {"destination_url": {"a": 1}, "tags": "x"}, "y"]');
  await page.getByRole('button', { name: 'Check 4 links' }).click();
  await page.locator('.act b', { hasText: '4 rows to correct.' }).waitFor();
  await page.getByLabel('One link per line').fill('[1, ');
  await page.getByText(/not valid JSON/).waitFor();
}, 120_000);

test('German by the browser, English by choice', async () => {
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

test('no browser found anything to complain about, or asked anybody else', expectContent);
